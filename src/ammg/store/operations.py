"""What administrators see of a running system: all jobs, disk usage, limits."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ammg.errors import NotFound
from ammg.store.actor import Actor
from ammg.store.models.projects import DataSetRow, FileRow, ProjectRow
from ammg.store.models.work import JobRow, PartRow, ReportRow
from ammg.store.people import user_names
from ammg.store.rights import need_administrator
from ammg.store.store import Store
from ammg.store.values import Job, Storage, SystemJob
from ammg.store.work import OVER, ended_on_request, job_value

_MOST = 500


def list_all_jobs(store: Store, actor: Actor) -> tuple[SystemJob, ...]:
    """Jobs of all projects, unfinished ones first, then the newest; only owners see reasons."""
    need_administrator(actor)
    with store.reading() as session:
        found = (
            select(JobRow, ProjectRow.name)
            .join(ProjectRow, ProjectRow.id == JobRow.project_id)
            .order_by(JobRow.state.in_(OVER), JobRow.created_at.desc())
            .limit(_MOST)
        )
        rows = session.execute(found).all()
        names = user_names(session, {row.created_by for row, _ in rows})
        return tuple(SystemJob(_plain(job_value(store, row, names[row.created_by])), name) for row, name in rows)


def cancel_any_job(store: Store, actor: Actor, job_id: str) -> Job:
    """Cancel a job of any project."""
    need_administrator(actor)
    with store.writing() as session:
        row = session.get(JobRow, job_id)
        if row is None:
            raise NotFound("There is no such job.")
        return _plain(ended_on_request(store, session, actor, row))


def storage(store: Store, actor: Actor) -> Storage:
    """Bytes used by originals, masked files, reports and the database, and free disk space."""
    need_administrator(actor)
    with store.reading() as session:
        originals = _bytes(session, select(DataSetRow.file_id))
        masked = _bytes(session, select(PartRow.file_id))
        reports = _bytes(session, select(ReportRow.file_id))
        total = session.scalar(select(func.coalesce(func.sum(FileRow.size), 0))) or 0
        database = _database_bytes(store, session)
    other = int(total) - originals - masked - reports
    free = shutil.disk_usage(store.settings.data).free
    return Storage(originals, masked, reports, max(other, 0), database, free)


def _bytes(session: Session, files: sa.Select[tuple[str | None]] | sa.Select[tuple[str]]) -> int:
    found = select(func.coalesce(func.sum(FileRow.size), 0)).where(FileRow.id.in_(files))
    return int(session.scalar(found) or 0)


def _database_bytes(store: Store, session: Session) -> int | None:
    """Size of the database; None if it does not report it."""
    url = store.engine.url
    if url.get_backend_name() == "sqlite":
        places = [Path(f"{url.database}{end}") for end in ("", "-wal")]
        return sum(place.stat().st_size for place in places if place.is_file())
    if url.get_backend_name() == "postgresql":
        asked = sa.text("SELECT pg_database_size(current_database())")
    else:
        asked = sa.text("SELECT SUM(data_length + index_length) FROM information_schema.tables WHERE table_schema = :n")
        asked = asked.bindparams(n=url.database)
    found = session.scalar(asked)
    return None if found is None else int(found)


def _plain(job: Job) -> Job:
    """Remove reasons and labels, which may quote data of a project that is not the administrator's."""
    return replace(job, reason="Only the project owner sees the reason." if job.reason else "", label="")
