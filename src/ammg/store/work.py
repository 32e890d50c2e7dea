"""Jobs as people see them: starting, watching, cancelling. Package `jobs` runs them."""

from __future__ import annotations

import json
import secrets
from dataclasses import replace
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ammg.errors import Conflict, InputError
from ammg.store.actor import Actor
from ammg.store.ground.chain import note
from ammg.store.ground.names import checked_target
from ammg.store.models.base import folded, new_id
from ammg.store.models.projects import ProjectRow
from ammg.store.models.work import JobEventRow, JobRow, MaskedFileRow
from ammg.store.people import user_names
from ammg.store.rights import WORKERS, entered, entered_job, within
from ammg.store.store import Store
from ammg.store.values import Job, JobEvent
from ammg.store.versions import version_row

KINDS = ("import", "mask", "evaluate", "search", "report", "release", "preview")
OVER = ("finished", "failed", "cancelled")
_WAITING = 20
"""Most unfinished jobs of one project."""


def start_mask(
    store: Store, actor: Actor, project_id: str, name: str, version: int | None = None, force: str | None = None
) -> Job:
    """Mask a version; the suffix of `name` determines the format of the masked file.

    `force` is the written reason for making the file despite broken limits or failed release checks; reviewers see it.
    """
    checked_target(name)
    if force is not None and not force.strip():
        raise InputError("The reason to force the masked file is empty: write why it may be released.")
    with store.writing() as session:
        project, _ = entered(session, actor, project_id, WORKERS, "run")
        _refuse_taken(store, session, project, name)
        number = version_row(session, project, version).number
        row = enqueue(store, session, actor, project_id, "mask", {"name": name, "version": number, "force": force})
        return job_value(store, row, actor.name)


def start_evaluate(
    store: Store,
    actor: Actor,
    project_id: str,
    version: int | None = None,
    masked_file_id: str | None = None,
    *,
    unmasked: bool = False,
) -> Job:
    """Measure the result of a version; with a masked file, exactly that file.

    `unmasked` measures the unmasked records, with the roles and scenario of the version and without its methods.
    """
    with store.writing() as session:
        project, _ = entered(session, actor, project_id, WORKERS, "run")
        if masked_file_id is not None:
            version = within(session, MaskedFileRow, masked_file_id, project_id, "masked file").version
        number = version_row(session, project, version).number
        parameters = {"version": number, "masked_file_id": masked_file_id, "unmasked": unmasked}
        return job_value(store, enqueue(store, session, actor, project_id, "evaluate", parameters), actor.name)


def start_search(
    store: Store, actor: Actor, project_id: str, version: int | None = None, trials: int | None = None
) -> Job:
    """Search for methods that meet the limits of a version with the least information loss; the result is a version."""
    if trials is not None and not 1 <= trials <= 100_000:
        raise InputError(f"A search tries 1 to 100,000 recipes, not {trials}.")
    with store.writing() as session:
        project, _ = entered(session, actor, project_id, WORKERS, "run")
        number = version_row(session, project, version).number
        # The secret is stored with the job, so that a search that is started again draws the same candidates.
        parameters = {"version": number, "trials": trials, "secret": new_secret()}
        return job_value(store, enqueue(store, session, actor, project_id, "search", parameters), actor.name)


def start_report(store: Store, actor: Actor, project_id: str, masked_file_id: str, kind: str = "public") -> Job:
    """Write the report on a masked file, for everybody or for the review panel."""
    if kind not in ("public", "internal"):
        raise InputError(f"'{kind[:40]}' is not a kind of report: choose public or internal.")
    with store.writing() as session:
        entered(session, actor, project_id, WORKERS, "run")
        file = within(session, MaskedFileRow, masked_file_id, project_id, "masked file")
        parameters = {"masked_file_id": file.id, "kind": kind, "version": file.version}
        return job_value(store, enqueue(store, session, actor, project_id, "report", parameters), actor.name)


def enqueue(
    store: Store, session: Session, actor: Actor, project_id: str, kind: str, parameters: dict[str, Any]
) -> JobRow:
    """Put a job into the queue, as part of a transaction."""
    pending = select(JobRow.id).where(JobRow.project_id == project_id, JobRow.state.not_in(OVER))
    if len(session.scalars(pending).all()) >= _WAITING:
        raise Conflict(f"The project has {_WAITING} unfinished jobs: wait, or cancel some.")
    row_id = new_id()
    row = JobRow(
        id=row_id,
        project_id=project_id,
        kind=kind,
        state="waiting",
        parameters=store.vault.seal(json.dumps(parameters), f"job:{row_id}"),
        created_at=store.clock(),
        created_by=actor.user_id,
    )
    session.add(row)
    session.flush()
    add_event(store, session, row.id, "state", "waiting")
    note(session, actor, f"job {kind}", row.id, project_id)
    return row


def list_jobs(store: Store, actor: Actor, project_id: str) -> tuple[Job, ...]:
    """Jobs of a project, newest first."""
    with store.reading() as session:
        _, role = entered(session, actor, project_id)
        found = select(JobRow).where(JobRow.project_id == project_id).order_by(JobRow.created_at.desc()).limit(500)
        rows = session.scalars(found).all()
        names = user_names(session, {row.created_by for row in rows})
        return tuple(_shown(job_value(store, row, names[row.created_by]), role) for row in rows)


def get_job(store: Store, actor: Actor, job_id: str) -> Job:
    """One job: its progress and its results."""
    with store.reading() as session:
        row, role = entered_job(session, actor, job_id)
        return _shown(job_value(store, row, user_names(session, {row.created_by})[row.created_by]), role)


def events(store: Store, actor: Actor, job_id: str, after: int = 0) -> tuple[JobEvent, ...]:
    """Events of a job after the event with this number."""
    with store.reading() as session:
        entered_job(session, actor, job_id)
        later = (JobEventRow.job_id == job_id, JobEventRow.id > min(max(after, 0), 2**31 - 1))
        rows = session.scalars(select(JobEventRow).where(*later).order_by(JobEventRow.id).limit(1000))
        return tuple(
            JobEvent(row.id, row.at, row.kind, store.vault.unseal(row.text, f"event:{row.job_id}")) for row in rows
        )


def cancel_job(store: Store, actor: Actor, job_id: str) -> Job:
    """Cancel a job; a waiting job ends at once, a running one within a second or two."""
    with store.writing() as session:
        row, _ = entered_job(session, actor, job_id, WORKERS, "run")
        return ended_on_request(store, session, actor, row)


def ended_on_request(store: Store, session: Session, actor: Actor, row: JobRow) -> Job:
    """Cancel a job, as part of a transaction."""
    session.refresh(row, with_for_update=True)
    if row.state in OVER:
        raise Conflict(f"The job is over: it {'was' if row.state == 'cancelled' else 'has'} {row.state}.")
    now = store.clock()
    row.cancel_at = row.cancel_at or now
    if row.state == "waiting":
        row.state, row.ended_at = "cancelled", now
        add_event(store, session, row.id, "state", "cancelled")
    note(session, actor, "job cancelled", row.id, row.project_id)
    return job_value(store, row, user_names(session, {row.created_by})[row.created_by])


def add_event(store: Store, session: Session, job_id: str, kind: str, text: str) -> None:
    """Add a change of state or a line of the log."""
    sealed = store.vault.seal(text, f"event:{job_id}")
    session.add(JobEventRow(job_id=job_id, at=store.clock(), kind=kind, text=sealed))


def parameters_of(store: Store, row: JobRow) -> dict[str, Any]:
    """The parameters with which the job was started."""
    parameters: dict[str, Any] = json.loads(store.vault.unseal(row.parameters, f"job:{row.id}"))
    return parameters


def job_value(store: Store, row: JobRow, author: str) -> Job:
    """A job as people see it."""
    return Job(
        id=row.id,
        project_id=row.project_id,
        kind=row.kind,
        state=row.state,
        done=row.done,
        total=row.total,
        label=row.label,
        reason="" if row.reason is None else store.vault.unseal(row.reason, f"job reason:{row.id}"),
        result=json.loads(row.result),
        created_by=author,
        created_at=row.created_at,
        started_at=row.started_at,
        ended_at=row.ended_at,
        attempt=row.attempt,
    )


def _shown(job: Job, role: str) -> Job:
    """Hide reasons from everybody but the owner, because they may quote the data."""
    return job if role == "owner" or not job.reason else replace(job, reason="Only the project owner sees the reason.")


def new_secret() -> str:
    """256 bits from the operating system, in the format of secret files."""
    return secrets.token_hex(32)


def _refuse_taken(store: Store, session: Session, project: ProjectRow, name: str) -> None:
    """Refuse a name that the owner has already given to a masked file, finished or not."""
    taken = (MaskedFileRow.owner_id == project.owner_id, MaskedFileRow.name_key == folded(name))
    pending = (
        select(JobRow)
        .join(ProjectRow, ProjectRow.id == JobRow.project_id)
        .where(ProjectRow.owner_id == project.owner_id, JobRow.kind == "mask", JobRow.state.not_in(OVER))
    )
    names = (folded(parameters_of(store, row)["name"]) for row in session.scalars(pending))
    if session.scalar(select(MaskedFileRow.id).where(*taken)) or folded(name) in names:
        raise Conflict(f"There already is a masked file called '{name}': choose another name.")
