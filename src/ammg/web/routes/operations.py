"""The running system, for administrators."""

from __future__ import annotations

from fastapi import APIRouter

from ammg.store import operations
from ammg.store.values import Job, Storage, SystemJob
from ammg.web.access import Asks, Kept
from ammg.web.bodies import Id

router = APIRouter(tags=["operations"])


@router.get("/operations/jobs")
def list_all_jobs(store: Kept, actor: Asks) -> tuple[SystemJob, ...]:
    """Jobs of all projects, those that are not over first."""
    return operations.list_all_jobs(store, actor)


@router.post("/operations/jobs/{job_id}/cancel")
def cancel_any_job(job_id: Id, store: Kept, actor: Asks) -> Job:
    """End a job of any project."""
    return operations.cancel_any_job(store, actor, job_id)


@router.get("/operations/storage")
def get_storage(store: Kept, actor: Asks) -> Storage:
    """Bytes that originals, masked files, reports and the database take, and what is left on the disk."""
    return operations.storage(store, actor)
