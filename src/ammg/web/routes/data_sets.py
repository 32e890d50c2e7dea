"""Data sets: uploads, tables, what the analysis says."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import StreamingResponse

from ammg.store import data_sets
from ammg.store.values import DataSet, Job
from ammg.web.access import Asks, Kept
from ammg.web.bodies import Body, Id, Text
from ammg.web.downloads import FILE, sent
from ammg.web.uploads import UPLOAD, received

router = APIRouter(tags=["data sets"])

FileName = Annotated[str | None, Query(max_length=1000, description="Name of the file, unless a form has it."), Text]


class TableImport(Body):
    """A table behind a connection, and the name of the data set that it becomes."""

    connection_id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    table: str = Field(max_length=1000)
    name: str = Field(max_length=1000)


@router.get("/projects/{project_id}/data-sets")
def list_data_sets(project_id: Id, store: Kept, actor: Asks) -> tuple[DataSet, ...]:
    """The data sets of a project, removed ones included."""
    return data_sets.list_data_sets(store, actor, project_id)


@router.post("/projects/{project_id}/data-sets", status_code=201, openapi_extra=UPLOAD)
async def upload_data_set(project_id: Id, request: Request, store: Kept, actor: Asks, name: FileName = None) -> DataSet:
    """Upload a file of any format that AMMG reads, as the body itself or as a form; a job reads it."""
    return await received(store, actor, project_id, request, name)


@router.post("/projects/{project_id}/imports", status_code=202)
def import_table(project_id: Id, given: TableImport, store: Kept, actor: Asks) -> Job:
    """Read a table through a connection that an administrator defined."""
    return data_sets.import_table(store, actor, project_id, given.connection_id, given.table, given.name)


@router.get("/projects/{project_id}/data-sets/{data_set_id}")
def get_data_set(project_id: Id, data_set_id: Id, store: Kept, actor: Asks) -> DataSet:
    """One data set."""
    return data_sets.get_data_set(store, actor, project_id, data_set_id)


@router.delete("/projects/{project_id}/data-sets/{data_set_id}", status_code=204)
def remove_data_set(project_id: Id, data_set_id: Id, store: Kept, actor: Asks) -> None:
    """Remove the original; files made from it stay."""
    data_sets.remove_data_set(store, actor, project_id, data_set_id)


@router.get("/projects/{project_id}/data-sets/{data_set_id}/analysis")
def get_analysis(project_id: Id, data_set_id: Id, store: Kept, actor: Asks) -> dict[str, Any]:
    """Proposed roles, kinds and rules with reasons, distributions and warnings; values for the owner only."""
    return data_sets.analysis(store, actor, project_id, data_set_id)


@router.get("/projects/{project_id}/data-sets/{data_set_id}/file", **FILE)
def read_data_set(project_id: Id, data_set_id: Id, store: Kept, actor: Asks) -> StreamingResponse:
    """The original, for its owner."""
    return sent(data_sets.read_data_set(store, actor, project_id, data_set_id))
