"""Releases: published files with checksums, which never change; a withdrawal is recorded as an event."""

from __future__ import annotations

import json

from sqlalchemy import select
from sqlalchemy.orm import Session

from ammg.errors import Conflict, InputError, NotFound
from ammg.store.actor import Actor
from ammg.store.ground.chain import note
from ammg.store.masked_files import download
from ammg.store.models.projects import ConnectionRow
from ammg.store.models.review import ReleaseRow, ReviewRow, WithdrawalRow
from ammg.store.models.work import JobRow, MaskedFileRow, PartRow
from ammg.store.people import user_names
from ammg.store.rights import OWNER, entered, within
from ammg.store.store import Store
from ammg.store.values import Download, Job, Part, Release
from ammg.store.work import OVER, enqueue, job_value, parameters_of


def start_release(
    store: Store,
    actor: Actor,
    project_id: str,
    review_id: str,
    connection_id: str | None = None,
    table: str | None = None,
) -> Job:
    """Release an approved file: a job checks and seals it, and writes it to a table if a connection is named."""
    if (connection_id is None) != (table is None):
        raise InputError("Name both a connection and a table, or neither.")
    with store.writing() as session:
        entered(session, actor, project_id, OWNER, "release")
        review = within(session, ReviewRow, review_id, project_id, "review")
        session.refresh(review, with_for_update=True)
        if review.state != "approved":
            raise Conflict(f"The file is {review.state}, not approved: it cannot be released.")
        if session.scalar(select(ReleaseRow.id).where(ReleaseRow.masked_file_id == review.masked_file_id)):
            raise Conflict("The file has already been released.")
        running = select(JobRow).where(
            JobRow.project_id == project_id, JobRow.kind == "release", JobRow.state.not_in(OVER)
        )
        if any(parameters_of(store, row)["review_id"] == review.id for row in session.scalars(running)):
            raise Conflict("The file is being released: wait for the job.")
        if connection_id is not None:
            connection = session.get(ConnectionRow, connection_id)
            if connection is None or not connection.writes:
                raise NotFound("There is no such connection to write to: ask an administrator.")
            if not table or len(table) > 200 or not table.isprintable():
                raise InputError("Name a table, or schema.table.")
        parameters = {"review_id": review.id, "connection_id": connection_id, "table": table}
        return job_value(store, enqueue(store, session, actor, project_id, "release", parameters), actor.name)


def list_releases(store: Store, actor: Actor, project_id: str) -> tuple[Release, ...]:
    """The releases of a project, newest first."""
    with store.reading() as session:
        entered(session, actor, project_id)
        found = select(ReleaseRow).where(ReleaseRow.project_id == project_id).order_by(ReleaseRow.released_at.desc())
        return tuple(_release(store, session, row) for row in session.scalars(found).all())


def get_release(store: Store, actor: Actor, project_id: str, release_id: str) -> Release:
    """One release."""
    with store.reading() as session:
        entered(session, actor, project_id)
        return _release(store, session, within(session, ReleaseRow, release_id, project_id, "release"))


def read_release(store: Store, actor: Actor, project_id: str, release_id: str, part: str = "masked") -> Download:
    """A file of a release; a withdrawn one is available to its owner only."""
    with store.writing() as session:
        _, role = entered(session, actor, project_id)
        row = within(session, ReleaseRow, release_id, project_id, "release")
        if role != "owner" and session.get(WithdrawalRow, row.id) is not None:
            raise Conflict("The release was withdrawn: it can no longer be downloaded.")
        found = session.get(PartRow, (row.masked_file_id, part))
        listed = {one["name"]: one for one in json.loads(row.checksums)}
        if found is None or part not in listed:
            raise NotFound(f"The release has no part '{part[:40]}': it has {', '.join(listed)}.")
        note(session, actor, "release read", row.id, project_id, part=part)
        return download(store, session, found.file_id, found.file_name)


def withdraw(store: Store, actor: Actor, project_id: str, release_id: str, reason: str) -> Release:
    """Withdraw a release with a reason: it can no longer be downloaded, but nothing is deleted."""
    if not reason.strip() or len(reason) > 10_000:
        raise InputError("Give the reason for the withdrawal, in at most 10,000 characters.")
    with store.writing() as session:
        entered(session, actor, project_id, OWNER, "release")
        row = within(session, ReleaseRow, release_id, project_id, "release")
        if session.get(WithdrawalRow, row.id) is not None:
            raise Conflict("The release has already been withdrawn.")
        sealed = store.vault.seal(reason, f"withdrawal:{row.id}")
        session.add(WithdrawalRow(release_id=row.id, at=store.clock(), by=actor.user_id, reason=sealed))
        session.flush()
        note(session, actor, "release withdrawn", row.id, project_id)
        return _release(store, session, row)


def _release(store: Store, session: Session, row: ReleaseRow) -> Release:
    gone = session.get(WithdrawalRow, row.id)
    review = session.get_one(ReviewRow, row.review_id)
    decided = review.decided_by or review.submitted_by
    names = user_names(session, {row.released_by, decided, *([gone.by] if gone else [])})
    return Release(
        id=row.id,
        name=session.get_one(MaskedFileRow, row.masked_file_id).name,
        masked_file_id=row.masked_file_id,
        review_id=row.review_id,
        released_by=names[row.released_by],
        approved_by=names[decided],
        released_at=row.released_at,
        files=tuple(Part(**one) for one in json.loads(row.checksums)),
        connection=row.connection,
        table=row.table,
        withdrawn_at=gone.at if gone else None,
        withdrawn_by=names[gone.by] if gone else None,
        withdrawn_reason=store.vault.unseal(gone.reason, f"withdrawal:{row.id}") if gone else "",
    )
