"""Review before release: the owner submits a file, and a reviewer who is somebody else approves or returns it."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from ammg.errors import Conflict, Denied, InputError
from ammg.store.actor import Actor
from ammg.store.ground.chain import note
from ammg.store.masked_files import facts_of
from ammg.store.models.base import new_id
from ammg.store.models.review import CommentRow, ReleaseRow, ReviewRow
from ammg.store.models.work import MaskedFileRow
from ammg.store.people import user_names
from ammg.store.rights import OWNER, Role, entered, within
from ammg.store.store import Store
from ammg.store.values import Comment, Review

LONGEST = 10_000
_REVIEWER: tuple[Role, ...] = ("reviewer",)
_WHY = "The file does not meet all limits or was forced through the release checks: write why it may be released."


def submit(
    store: Store, actor: Actor, project_id: str, masked_file_id: str, statement: str = "", reason: str = ""
) -> Review:
    """Submit a masked file for review; one that breaks limits or was forced needs a written reason."""
    _check(statement, reason)
    with store.writing() as session:
        entered(session, actor, project_id, OWNER, "review")
        file = within(session, MaskedFileRow, masked_file_id, project_id, "masked file")
        session.refresh(file, with_for_update=True)
        if file.needs_reason and not reason.strip():
            raise InputError(_WHY)
        if session.scalar(select(ReleaseRow.id).where(ReleaseRow.masked_file_id == file.id)):
            raise Conflict(f"'{file.name}' has already been released.")
        before = select(ReviewRow.state).where(ReviewRow.masked_file_id == file.id)
        if {"submitted", "approved"} & set(session.scalars(before)):
            raise Conflict(f"'{file.name}' has already been submitted for review.")
        row_id = new_id()
        row = ReviewRow(
            id=row_id,
            project_id=project_id,
            masked_file_id=file.id,
            state="submitted",
            statement=store.vault.seal(statement, f"review statement:{row_id}"),
            reason=store.vault.seal(reason, f"review reason:{row_id}"),
            submitted_by=actor.user_id,
            submitted_at=store.clock(),
        )
        session.add(row)
        session.flush()
        note(session, actor, "review", row.id, project_id, file=file.name, needs_reason=file.needs_reason)
        return _review(store, session, row)


def list_reviews(store: Store, actor: Actor, project_id: str) -> tuple[Review, ...]:
    """The reviews of a project, newest first."""
    with store.reading() as session:
        entered(session, actor, project_id)
        found = select(ReviewRow).where(ReviewRow.project_id == project_id).order_by(ReviewRow.submitted_at.desc())
        return tuple(_review(store, session, row) for row in session.scalars(found).all())


def get_review(store: Store, actor: Actor, project_id: str, review_id: str) -> Review:
    """One review, with its comments."""
    with store.reading() as session:
        entered(session, actor, project_id)
        return _review(store, session, within(session, ReviewRow, review_id, project_id, "review"))


def comment(store: Store, actor: Actor, project_id: str, review_id: str, text: str) -> Review:
    """Comment on a review, as any member."""
    _check(text)
    if not text.strip():
        raise InputError("The comment is empty: write something.")
    with store.writing() as session:
        entered(session, actor, project_id, scope="review")
        row = within(session, ReviewRow, review_id, project_id, "review")
        row_id = new_id()
        sealed = store.vault.seal(text, f"comment:{row_id}")
        session.add(CommentRow(id=row_id, review_id=row.id, user_id=actor.user_id, at=store.clock(), text=sealed))
        session.flush()
        note(session, actor, "comment", row.id, project_id)
        return _review(store, session, row)


def approve(store: Store, actor: Actor, project_id: str, review_id: str, reason: str = "") -> Review:
    """Approve the file for release; if it breaks limits or was forced, the reviewer gives a reason."""
    return _decided(store, actor, project_id, review_id, "approved", reason)


def return_for_changes(store: Store, actor: Actor, project_id: str, review_id: str, reason: str) -> Review:
    """Return the file for changes, with the reason."""
    return _decided(store, actor, project_id, review_id, "returned", reason)


def take_back(store: Store, actor: Actor, project_id: str, review_id: str) -> Review:
    """Withdraw the file from review, as its owner."""
    with store.writing() as session:
        entered(session, actor, project_id, OWNER, "review")
        row = _open_review(session, review_id, project_id)
        row.state, row.decided_by, row.decided_at = "taken back", actor.user_id, store.clock()
        note(session, actor, "review taken back", row.id, project_id)
        return _review(store, session, row)


def _decided(store: Store, actor: Actor, project_id: str, review_id: str, state: str, reason: str) -> Review:
    _check(reason)
    with store.writing() as session:
        entered(session, actor, project_id, _REVIEWER, "review")
        row = _open_review(session, review_id, project_id)
        file = within(session, MaskedFileRow, row.masked_file_id, project_id, "masked file")
        if actor.user_id in (row.submitted_by, file.created_by, file.owner_id):
            raise Denied("You worked on this file: somebody else must review it.")
        if not reason.strip() and (state == "returned" or file.needs_reason):
            raise InputError("Write what has to change." if state == "returned" else _WHY)
        row.state, row.decided_by, row.decided_at = state, actor.user_id, store.clock()
        row.decision = store.vault.seal(reason, f"review decision:{row.id}")
        note(session, actor, f"review {state}", row.id, project_id, file=file.name, needs_reason=file.needs_reason)
        return _review(store, session, row)


def _open_review(session: Session, review_id: str, project_id: str) -> ReviewRow:
    row = within(session, ReviewRow, review_id, project_id, "review")
    session.refresh(row, with_for_update=True)
    if row.state != "submitted":
        raise Conflict(f"The review is over: the file is {row.state}.")
    return row


def _check(*texts: str) -> None:
    if any(len(text) > LONGEST for text in texts):
        raise InputError(f"The text has more than {LONGEST:,} characters: shorten it.")


def _review(store: Store, session: Session, row: ReviewRow) -> Review:
    file = session.get_one(MaskedFileRow, row.masked_file_id)
    facts = facts_of(store, file)
    said = session.scalars(select(CommentRow).where(CommentRow.review_id == row.id).order_by(CommentRow.at)).all()
    people = {row.submitted_by, row.decided_by or row.submitted_by, *(one.user_id for one in said)}
    names = user_names(session, people)
    decision = "" if row.decision is None else store.vault.unseal(row.decision, f"review decision:{row.id}")
    return Review(
        id=row.id,
        masked_file_id=file.id,
        masked_file=file.name,
        state=row.state,
        statement=store.vault.unseal(row.statement, f"review statement:{row.id}"),
        reason=store.vault.unseal(row.reason, f"review reason:{row.id}"),
        submitted_by=names[row.submitted_by],
        submitted_at=row.submitted_at,
        decision=decision,
        decided_by=names[row.decided_by] if row.decided_by else None,
        decided_at=row.decided_at,
        needs_reason=file.needs_reason,
        broken=tuple(facts["broken"]),
        gate=tuple(facts["gate"]),
        comments=tuple(
            Comment(names[one.user_id], one.at, store.vault.unseal(one.text, f"comment:{one.id}")) for one in said
        ),
    )
