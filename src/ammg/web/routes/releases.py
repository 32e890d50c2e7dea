"""Releases, which never change."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import StreamingResponse

from ammg.store import releases
from ammg.store.values import Job, Release
from ammg.web.access import Asks, Kept
from ammg.web.bodies import Body, Id
from ammg.web.downloads import FILE, Opened, sent
from ammg.web.routes.masked_files import PartName
from ammg.web.routes.reviews import Reason

router = APIRouter(tags=["releases"])

_ID = r"^[A-Za-z0-9_-]{1,64}$"


class Releasing(Body):
    """An approved review; with a connection and a table, the file is also written there."""

    review_id: str = Field(pattern=_ID)
    connection_id: str | None = Field(None, pattern=_ID)
    table: str | None = Field(None, max_length=1000)


@router.get("/projects/{project_id}/releases")
def list_releases(project_id: Id, store: Kept, actor: Asks) -> tuple[Release, ...]:
    """The releases of a project, newest first, with checksums."""
    return releases.list_releases(store, actor, project_id)


@router.post("/projects/{project_id}/releases", status_code=202)
def start_release(project_id: Id, given: Releasing, store: Kept, actor: Asks) -> Job:
    """Release an approved file, as the owner."""
    return releases.start_release(store, actor, project_id, given.review_id, given.connection_id, given.table)


@router.get("/projects/{project_id}/releases/{release_id}")
def get_release(project_id: Id, release_id: Id, store: Kept, actor: Asks) -> Release:
    """One release."""
    return releases.get_release(store, actor, project_id, release_id)


@router.get("/projects/{project_id}/releases/{release_id}/files/{part}", **FILE)
def read_release(
    project_id: Id, release_id: Id, part: PartName, store: Kept, actor: Asks, opened: Opened = False
) -> StreamingResponse:
    """A file of a release."""
    return sent(releases.read_release(store, actor, project_id, release_id, part), opened=opened)


@router.post("/projects/{project_id}/releases/{release_id}/withdraw")
def withdraw(project_id: Id, release_id: Id, given: Reason, store: Kept, actor: Asks) -> Release:
    """Withdraw a release, with the reason; nothing is deleted."""
    return releases.withdraw(store, actor, project_id, release_id, given.reason)
