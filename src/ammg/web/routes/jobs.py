"""Jobs: how far they are, their events, cancelling. What starts them is where their results are."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Request
from starlette.responses import StreamingResponse

from ammg.store import work
from ammg.store.values import Job, JobEvent
from ammg.web.access import Asks, Kept, Key
from ammg.web.bodies import LARGEST_NUMBER, After, Id
from ammg.web.events import stream

router = APIRouter(tags=["jobs"])

_STREAM: dict[int | str, dict[str, Any]] = {
    200: {"description": "Server-sent events.", "content": {"text/event-stream": {}}}
}


@router.get("/projects/{project_id}/jobs")
def list_jobs(project_id: Id, store: Kept, actor: Asks) -> tuple[Job, ...]:
    """The jobs of a project, newest first."""
    return work.list_jobs(store, actor, project_id)


@router.get("/jobs/{job_id}")
def get_job(job_id: Id, store: Kept, actor: Asks) -> Job:
    """One job: how far it is, and the ids of what it made."""
    return work.get_job(store, actor, job_id)


@router.post("/jobs/{job_id}/cancel")
def cancel_job(job_id: Id, store: Kept, actor: Asks) -> Job:
    """End a job; one that runs ends within a second or two."""
    return work.cancel_job(store, actor, job_id)


@router.get("/jobs/{job_id}/log")
def list_events(job_id: Id, store: Kept, actor: Asks, after: After = 0) -> tuple[JobEvent, ...]:
    """Changes of state and lines of the log since an event."""
    return work.events(store, actor, job_id, after)


@router.get("/jobs/{job_id}/events", response_class=StreamingResponse, responses=_STREAM)
def stream_events(
    job_id: Id,
    request: Request,
    store: Kept,
    actor: Asks,
    key: Key,
    after: After = 0,
    last_event_id: Annotated[int | None, Header(ge=0, le=LARGEST_NUMBER)] = None,
) -> StreamingResponse:
    """The same as they happen (state, log, progress, end), as server-sent events."""
    work.get_job(store, actor, job_id)
    happening = stream(store, key, job_id, last_event_id or after, request.app.state.stopping)
    return StreamingResponse(happening, media_type="text/event-stream")
