"""The audit log, and how the server is."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from starlette.responses import StreamingResponse

from ammg.store import audit
from ammg.store.health import health
from ammg.store.values import AuditEntry, ChainState, Health
from ammg.web.access import Asks, Kept
from ammg.web.bodies import After, Id
from ammg.web.downloads import lines

router = APIRouter(tags=["audit"])
public = APIRouter(tags=["health"])

Limit = Annotated[int, Query(ge=1, le=1000)]
_LINES: dict[int | str, dict[str, Any]] = {200: {"description": "JSON lines.", "content": {"application/x-ndjson": {}}}}


@router.get("/audit")
def list_entries(store: Kept, actor: Asks, after: After = 0, limit: Limit = 200) -> tuple[AuditEntry, ...]:
    """What everybody did, for administrators."""
    return audit.list_entries(store, actor, None, after, limit)


@router.get("/audit/state")
def verify_chain(store: Kept, actor: Asks) -> ChainState:
    """Whether every entry is as it was written, and none is missing."""
    return audit.verify_chain(store, actor)


@router.get("/audit/export", response_class=StreamingResponse, responses=_LINES)
def export_audit(store: Kept, actor: Asks) -> StreamingResponse:
    """The whole log as JSON lines, with the hashes by which anybody can check it."""
    return lines(audit.export(store, actor), "audit.jsonl", "application/x-ndjson")


@router.get("/projects/{project_id}/audit")
def list_project_entries(
    project_id: Id, store: Kept, actor: Asks, after: After = 0, limit: Limit = 200
) -> tuple[AuditEntry, ...]:
    """What everybody did in a project, for its owner."""
    return audit.list_entries(store, actor, project_id, after, limit)


@public.get("/health", responses={503: {"model": Health, "description": "A part of the server is not available."}})
def get_health(store: Kept, response: Response) -> Health:
    """Whether database and files are available, and how many jobs wait and run."""
    found = health(store)
    response.status_code = 503 if "unavailable" in (found.database, found.files) else 200
    return found
