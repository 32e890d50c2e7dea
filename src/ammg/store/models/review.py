"""Reviews, releases, the audit log."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from ammg.store.models.base import Base, Id, LongText, Moment, Sealed, new_id, text


class ReviewRow(Base):
    """A masked file in review."""

    __tablename__ = "reviews"
    id: Mapped[str] = mapped_column(Id, primary_key=True, default=new_id)
    project_id: Mapped[str] = mapped_column(Id, ForeignKey("projects.id"), index=True)
    masked_file_id: Mapped[str] = mapped_column(Id, ForeignKey("masked_files.id"), index=True)
    state: Mapped[str] = mapped_column(text(10))
    statement: Mapped[bytes] = mapped_column(Sealed)
    reason: Mapped[bytes] = mapped_column(Sealed)
    """Why it may be released despite broken limits, in the words of the person who submits it."""
    submitted_by: Mapped[str] = mapped_column(Id, ForeignKey("users.id"))
    submitted_at: Mapped[datetime] = mapped_column(Moment)
    decision: Mapped[bytes | None] = mapped_column(Sealed)
    decided_by: Mapped[str | None] = mapped_column(Id, ForeignKey("users.id"))
    decided_at: Mapped[datetime | None] = mapped_column(Moment)


class CommentRow(Base):
    """A comment in a review."""

    __tablename__ = "comments"
    id: Mapped[str] = mapped_column(Id, primary_key=True, default=new_id)
    review_id: Mapped[str] = mapped_column(Id, ForeignKey("reviews.id"), index=True)
    user_id: Mapped[str] = mapped_column(Id, ForeignKey("users.id"))
    at: Mapped[datetime] = mapped_column(Moment)
    text: Mapped[bytes] = mapped_column(Sealed)


class ReleaseRow(Base):
    """A released masked file, which never changes."""

    __tablename__ = "releases"
    id: Mapped[str] = mapped_column(Id, primary_key=True, default=new_id)
    project_id: Mapped[str] = mapped_column(Id, ForeignKey("projects.id"), index=True)
    masked_file_id: Mapped[str] = mapped_column(Id, ForeignKey("masked_files.id"), unique=True)
    review_id: Mapped[str] = mapped_column(Id, ForeignKey("reviews.id"))
    job_id: Mapped[str] = mapped_column(Id, ForeignKey("jobs.id"))
    checksums: Mapped[str] = mapped_column(LongText)
    """File name, size and SHA-256 of every public part, as JSON."""
    connection: Mapped[str | None] = mapped_column(text(120))
    table: Mapped[str | None] = mapped_column(text(200))
    released_by: Mapped[str] = mapped_column(Id, ForeignKey("users.id"))
    released_at: Mapped[datetime] = mapped_column(Moment)


class WithdrawalRow(Base):
    """The withdrawal of a release, with time and reason."""

    __tablename__ = "withdrawals"
    release_id: Mapped[str] = mapped_column(Id, ForeignKey("releases.id"), primary_key=True)
    at: Mapped[datetime] = mapped_column(Moment)
    by: Mapped[str] = mapped_column(Id, ForeignKey("users.id"))
    reason: Mapped[bytes] = mapped_column(Sealed)


class AuditRow(Base):
    """An action; each entry contains the hash of the one before it."""

    __tablename__ = "audit"
    number: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    at: Mapped[datetime] = mapped_column(Moment)
    actor_id: Mapped[str | None] = mapped_column(Id)
    actor_name: Mapped[str] = mapped_column(text(80))
    action: Mapped[str] = mapped_column(text(60))
    subject: Mapped[str] = mapped_column(text(60))
    project_id: Mapped[str | None] = mapped_column(Id, index=True)
    details: Mapped[str] = mapped_column(LongText)
    previous: Mapped[str] = mapped_column(text(64))
    hash: Mapped[str] = mapped_column(text(64))
    seal: Mapped[str] = mapped_column(text(64))


class AuditHeadRow(Base):
    """The last entry of the log: writers lock it and so take turns."""

    __tablename__ = "audit_head"
    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    number: Mapped[int] = mapped_column(BigInteger)
    hash: Mapped[str] = mapped_column(text(64))
    seal: Mapped[str] = mapped_column(text(64))


class FactRow(Base):
    """A fact about the store itself, such as a value that identifies its key."""

    __tablename__ = "facts"
    name: Mapped[str] = mapped_column(text(60), primary_key=True)
    value: Mapped[str] = mapped_column(text(500))
