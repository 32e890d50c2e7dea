"""The queue: jobs are rows, and a worker takes a job by locking its row.

PostgreSQL and MariaDB lock the row and skip rows that others have locked; SQLite lets one writer in at a time. A worker
that ends a job shows its claim: if the job was given to another worker, because this one seemed dead, nothing changes.
"""

from __future__ import annotations

import socket
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from ammg.errors import Cancelled
from ammg.io.atomic import is_alive
from ammg.store.actor import Actor
from ammg.store.ground.chain import note
from ammg.store.models.base import new_id
from ammg.store.models.people import UserRow
from ammg.store.models.projects import DataSetRow
from ammg.store.models.work import JobRow
from ammg.store.store import Store
from ammg.store.work import add_event, parameters_of

HOST = socket.gethostname()[:200]


class Lost(Exception):
    """The job no longer belongs to this worker."""


@dataclass(frozen=True)
class Claim:
    """A job taken by a worker."""

    job_id: str
    claim: str


def take(store: Store) -> Claim | None:
    """Take the job that has waited longest, if there is one, and mark it as running."""
    with store.reading() as session:  # usually nothing waits, and a reading transaction blocks no writer
        if session.scalar(select(JobRow.id).where(JobRow.state == "waiting").limit(1)) is None:
            return None
    with store.writing() as session:
        oldest = select(JobRow).where(JobRow.state == "waiting").order_by(JobRow.created_at, JobRow.id).limit(1)
        row = session.scalar(oldest.with_for_update(skip_locked=True))
        if row is None:
            return None
        now = store.clock()
        row.state, row.claim, row.host, row.process = "running", new_id(), HOST, None
        row.attempt += 1
        row.started_at, row.heartbeat_at = row.started_at or now, now
        add_event(store, session, row.id, "state", "running")
        return Claim(row.id, row.claim)


def beat(store: Store, claim: Claim, done: float, total: float, label: str, process: int) -> bool:
    """Record that the worker is alive and its progress; returns whether somebody asked to cancel the job.

    Raises:
        Lost: the job belongs to another worker.
    """
    mine = (JobRow.id == claim.job_id, JobRow.claim == claim.claim, JobRow.state == "running")
    values: dict[str, Any] = {"heartbeat_at": store.clock(), "process": process, "host": HOST}
    with store.writing() as session:
        said = update(JobRow).where(*mine).values(done=done, total=total, label=label[:200], **values)
        session.execute(said)
        found = session.execute(select(JobRow.cancel_at).where(*mine)).one_or_none()
    if found is None:
        raise Lost
    return found[0] is not None


def mine(session: Session, claim: Claim) -> JobRow:
    """The locked row of a job that is about to end.

    Raises:
        Lost: the job belongs to another worker.
        Cancelled: somebody asked to cancel it.
    """
    row = session.scalar(select(JobRow).where(JobRow.id == claim.job_id).with_for_update())
    if row is None or row.claim != claim.claim or row.state != "running":
        raise Lost
    if row.cancel_at is not None:
        raise Cancelled("Stopped on request; nothing was written.")
    return row


def end(store: Store, claim: Claim, state: str, reason: str = "") -> bool:
    """End a job as failed or cancelled; returns whether it still belonged to this claim."""
    with store.writing() as session:
        row = session.scalar(select(JobRow).where(JobRow.id == claim.job_id).with_for_update())
        if row is None or row.claim != claim.claim or row.state != "running":
            return False
        ended(store, session, row, state, reason)
        return True


def ended(store: Store, session: Session, row: JobRow, state: str, reason: str = "") -> None:
    """Put the job into its final state, as part of a transaction."""
    row.state, row.ended_at, row.process = state, store.clock(), None
    if reason:
        row.reason = store.vault.seal(reason, f"job reason:{row.id}")
    if state != "finished" and row.kind == "import":
        _unread(store, session, row, reason or state)
    add_event(store, session, row.id, "state", state)
    note(session, author(session, row), f"job {state}", row.id, row.project_id, kind=row.kind)


def give_back(store: Store, claim: Claim, why: str, *, counts: bool = True) -> None:
    """Put the job of a worker that ended back into the queue, or fail it after too many attempts."""
    with store.writing() as session:
        row = session.scalar(select(JobRow).where(JobRow.id == claim.job_id).with_for_update())
        if row is None or row.claim != claim.claim or row.state != "running":
            return
        _given_back(store, session, row, why, counts)


def recover(store: Store, alive: set[str]) -> int:
    """Take back the jobs of dead workers; `alive` are the claims of workers known to be alive."""
    now = store.clock()
    found = 0
    with store.reading() as session:
        claims = session.scalars(select(JobRow.claim).where(JobRow.state == "running")).all()
    if alive.issuperset(claim for claim in claims if claim):
        return 0
    with store.writing() as session:
        running = select(JobRow).where(JobRow.state == "running").with_for_update(skip_locked=True)
        for row in session.scalars(running).all():
            if row.claim not in alive and _is_dead(row, now, store):
                _given_back(store, session, row, "its worker died", True)
                found += 1
    return found


def cancelled(store: Store, claims: set[str]) -> set[str]:
    """Those of the claims that somebody asked to cancel, or that now belong to another worker."""
    if not claims:
        return set()
    with store.reading() as session:
        kept = select(JobRow.claim).where(
            JobRow.claim.in_(claims), JobRow.state == "running", JobRow.cancel_at.is_(None)
        )
        return claims - {claim for claim in session.scalars(kept) if claim}


def author(session: Session, row: JobRow) -> Actor:
    """The person for whom a job runs."""
    user = session.get_one(UserRow, row.created_by)
    return Actor(user.id, user.name, user.is_administrator, "session", "")


def _is_dead(row: JobRow, now: datetime, store: Store) -> bool:
    if row.heartbeat_at is None or now - row.heartbeat_at > store.settings.heartbeat:
        return True
    return row.host == HOST and row.process is not None and not is_alive(row.process)


def _given_back(store: Store, session: Session, row: JobRow, why: str, counts: bool) -> None:
    if row.cancel_at is not None:
        ended(store, session, row, "cancelled")
    elif counts and row.attempt >= store.settings.job_attempts:
        ended(store, session, row, "failed", f"Given up after {row.attempt} attempts: {why}.")
    else:
        row.state, row.claim, row.process, row.heartbeat_at = "waiting", None, None, None
        row.attempt -= 0 if counts else 1
        add_event(store, session, row.id, "log", f"started again: {why}")
        add_event(store, session, row.id, "state", "waiting")


def _unread(store: Store, session: Session, row: JobRow, reason: str) -> None:
    """Keep an unreadable data set with the reason; if a table was not fetched, free its name."""
    data_set = session.get(DataSetRow, parameters_of(store, row)["data_set_id"])
    if data_set is None or data_set.state != "checking":
        return
    data_set.state = "unread"
    data_set.reason = store.vault.seal(reason, f"data set reason:{data_set.id}")
    if data_set.file_id is None:
        data_set.name_key, data_set.removed_at = None, store.clock()
