"""Masked files: making them, and the files that belong to each."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field
from starlette.responses import StreamingResponse

from ammg.store import masked_files, work
from ammg.store.values import FirstRecords, Job, MaskedFile
from ammg.web.access import Asks, Kept
from ammg.web.bodies import LARGEST_NUMBER, Body, Id
from ammg.web.downloads import FILE, Opened, sent

router = APIRouter(tags=["masked files"])

PartName = Annotated[
    str, Path(pattern=r"^[a-z_]{1,40}$", description="For example masked, codebook, report or secret.")
]


class Masking(Body):
    """What to mask, and the name of the file, whose ending determines the format."""

    name: str = Field(max_length=1000)
    version: int | None = Field(None, ge=1, le=LARGEST_NUMBER, description="By default the current one.")
    force: str | None = Field(
        None, max_length=10_000, description="The reason to make it although limits or release checks fail."
    )


@router.get("/projects/{project_id}/masked-files")
def list_masked_files(project_id: Id, store: Kept, actor: Asks) -> tuple[MaskedFile, ...]:
    """Masked files, newest first."""
    return masked_files.list_masked_files(store, actor, project_id)


@router.post("/projects/{project_id}/masked-files", status_code=202)
def start_mask(project_id: Id, given: Masking, store: Kept, actor: Asks) -> Job:
    """Mask a version."""
    return work.start_mask(store, actor, project_id, given.name, given.version, given.force)


@router.get("/projects/{project_id}/masked-files/{masked_file_id}")
def get_masked_file(project_id: Id, masked_file_id: Id, store: Kept, actor: Asks) -> MaskedFile:
    """One masked file, with the parts that you may read."""
    return masked_files.get_masked_file(store, actor, project_id, masked_file_id)


@router.get("/projects/{project_id}/masked-files/{masked_file_id}/records")
def first_records(project_id: Id, masked_file_id: Id, store: Kept, actor: Asks) -> FirstRecords:
    """The first hundred records of a masked file."""
    return masked_files.first_records(store, actor, project_id, masked_file_id)


@router.get("/projects/{project_id}/masked-files/{masked_file_id}/parts/{part}", **FILE)
def read_part(
    project_id: Id, masked_file_id: Id, part: PartName, store: Kept, actor: Asks, opened: Opened = False
) -> StreamingResponse:
    """One of the files that belong to it; secret, link and provenance are for the owner."""
    return sent(masked_files.read_part(store, actor, project_id, masked_file_id, part), opened=opened)
