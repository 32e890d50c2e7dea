"""Versions of a project: each is a project file that `ammg mask` runs elsewhere, and comes back the same way."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from fastapi import Body as RawBody
from pydantic import Field

from ammg.projects.draft import Draft
from ammg.projects.python_code import as_python
from ammg.store import versions
from ammg.store.values import Version, VersionInfo
from ammg.web.access import Asks, Kept
from ammg.web.bodies import LARGEST_NUMBER, Body, Id, Number, Text

router = APIRouter(tags=["versions"])

BasedOn = Annotated[int | None, Query(ge=0, le=LARGEST_NUMBER, description="The version that you changed.")]
Wanted = Annotated[int, Query(ge=1, le=LARGEST_NUMBER)]
_YAML: dict[int | str, dict[str, Any]] = {
    200: {"description": "The project file.", "content": {"application/yaml": {}}}
}

_PYTHON: dict[int | str, dict[str, Any]] = {200: {"description": "The program.", "content": {"text/x-python": {}}}}


class NewVersion(Body):
    """A project file as text or as a mapping."""

    document: str | dict[str, Any]
    note: str = Field("", max_length=10_000)
    based_on: int | None = Field(
        None, ge=0, le=LARGEST_NUMBER, description="The version that you changed; refused if it is no longer current."
    )


class Proposed(Body):
    """The data set that a version is proposed for."""

    data_set_id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")


@router.get("/projects/{project_id}/versions")
def list_versions(project_id: Id, store: Kept, actor: Asks) -> tuple[VersionInfo, ...]:
    """All versions, newest first."""
    return versions.list_versions(store, actor, project_id)


@router.post("/projects/{project_id}/versions", status_code=201)
def create_version(project_id: Id, given: NewVersion, store: Kept, actor: Asks) -> Version:
    """Keep a project file as the new current version; all problems in it are reported together."""
    return versions.create_version(store, actor, project_id, given.document, given.note, given.based_on)


@router.post("/projects/{project_id}/versions/file", status_code=201)
def import_version(
    project_id: Id,
    document: Annotated[bytes, RawBody(media_type="application/yaml")],
    store: Kept,
    actor: Asks,
    note: Annotated[str, Query(max_length=500), Text] = "",
    based_on: BasedOn = None,
) -> Version:
    """The same with the YAML file as the body, as `ammg` writes and reads it."""
    return versions.create_version(store, actor, project_id, document.decode("utf-8", "replace"), note, based_on)


@router.post("/projects/{project_id}/versions/proposal", status_code=201)
def propose_version(project_id: Id, given: Proposed, store: Kept, actor: Asks) -> Version:
    """Make a version with the roles, kinds and rules that the analysis of a data set proposes."""
    return versions.propose_version(store, actor, project_id, given.data_set_id)


@router.get("/projects/{project_id}/version")
def get_current_version(project_id: Id, store: Kept, actor: Asks) -> Version:
    """The current version."""
    return versions.get_version(store, actor, project_id)


@router.put("/projects/{project_id}/version")
def go_back(project_id: Id, number: Wanted, store: Kept, actor: Asks) -> VersionInfo:
    """Make another version the current one; all of them stay."""
    return versions.go_back(store, actor, project_id, number)


@router.get("/projects/{project_id}/versions/{number}")
def get_version(project_id: Id, number: Number, store: Kept, actor: Asks) -> Version:
    """One version."""
    return versions.get_version(store, actor, project_id, number)


@router.get("/projects/{project_id}/versions/{number}/file", response_class=Response, responses=_YAML)
def export_version(project_id: Id, number: Number, store: Kept, actor: Asks) -> Response:
    """A version as a project file, for `ammg mask` on another machine."""
    found = versions.get_version(store, actor, project_id, number)
    attached = {"Content-Disposition": f'attachment; filename="project-{number}.yaml"'}
    return Response(found.text, media_type="application/yaml", headers=attached)


@router.get("/projects/{project_id}/versions/{number}/python", response_class=Response, responses=_PYTHON)
def export_python(project_id: Id, number: Number, store: Kept, actor: Asks) -> Response:
    """A version as a Python program that masks and measures in the same way."""
    found = versions.get_version(store, actor, project_id, number)
    program = as_python(Draft.parse(found.document).project)
    attached = {"Content-Disposition": f'attachment; filename="project-{number}.py"'}
    return Response(program, media_type="text/x-python", headers=attached)
