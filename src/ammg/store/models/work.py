"""Jobs and their results."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from ammg.store.models.base import Base, Id, LongText, Moment, Sealed, new_id, text


class JobRow(Base):
    """Work for a worker process."""

    __tablename__ = "jobs"
    id: Mapped[str] = mapped_column(Id, primary_key=True, default=new_id)
    project_id: Mapped[str] = mapped_column(Id, ForeignKey("projects.id"), index=True)
    kind: Mapped[str] = mapped_column(text(10))
    state: Mapped[str] = mapped_column(text(10))
    parameters: Mapped[bytes] = mapped_column(Sealed)
    done: Mapped[float] = mapped_column(default=0.0)
    total: Mapped[float] = mapped_column(default=0.0)
    label: Mapped[str] = mapped_column(text(200), default="")
    reason: Mapped[bytes | None] = mapped_column(Sealed)
    result: Mapped[str] = mapped_column(LongText, default="{}")
    """Ids of its results, as JSON."""
    created_at: Mapped[datetime] = mapped_column(Moment)
    created_by: Mapped[str] = mapped_column(Id, ForeignKey("users.id"))
    started_at: Mapped[datetime | None] = mapped_column(Moment)
    ended_at: Mapped[datetime | None] = mapped_column(Moment)
    attempt: Mapped[int] = mapped_column(default=0)
    claim: Mapped[str | None] = mapped_column(Id)
    """Claim of the worker that has the job; a worker with an outdated claim cannot end it."""
    host: Mapped[str | None] = mapped_column(text(200))
    process: Mapped[int | None]
    heartbeat_at: Mapped[datetime | None] = mapped_column(Moment)
    cancel_at: Mapped[datetime | None] = mapped_column(Moment)
    journal_id: Mapped[str | None] = mapped_column(Id, ForeignKey("files.id"))
    """Intermediate results of a search."""

    __table_args__ = (Index("ix_jobs_state_created_at", "state", "created_at"),)


class JobEventRow(Base):
    """A change of state or a line of the log."""

    __tablename__ = "job_events"
    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    job_id: Mapped[str] = mapped_column(Id, ForeignKey("jobs.id"), index=True)
    at: Mapped[datetime] = mapped_column(Moment)
    kind: Mapped[str] = mapped_column(text(10))
    text: Mapped[bytes] = mapped_column(Sealed)


class MaskedFileRow(Base):
    """The result of masking a version; its name is unique per owner."""

    __tablename__ = "masked_files"
    id: Mapped[str] = mapped_column(Id, primary_key=True, default=new_id)
    project_id: Mapped[str] = mapped_column(Id, ForeignKey("projects.id"), index=True)
    owner_id: Mapped[str] = mapped_column(Id, ForeignKey("users.id"))
    name: Mapped[str] = mapped_column(text(120))
    name_key: Mapped[str] = mapped_column(text(240))
    version: Mapped[int]
    job_id: Mapped[str] = mapped_column(Id, ForeignKey("jobs.id"))
    records: Mapped[int] = mapped_column(BigInteger)
    needs_reason: Mapped[bool]
    facts: Mapped[bytes] = mapped_column(Sealed)
    """Broken limits, problems found by the release checks, the reason for forcing, notes."""
    created_at: Mapped[datetime] = mapped_column(Moment)
    created_by: Mapped[str] = mapped_column(Id, ForeignKey("users.id"))

    __table_args__ = (UniqueConstraint("owner_id", "name_key"),)


class PartRow(Base):
    """One of the files that belong to a masked file."""

    __tablename__ = "parts"
    masked_file_id: Mapped[str] = mapped_column(Id, ForeignKey("masked_files.id"), primary_key=True)
    name: Mapped[str] = mapped_column(text(40), primary_key=True)
    file_name: Mapped[str] = mapped_column(text(255))
    role: Mapped[str] = mapped_column(text(10))
    file_id: Mapped[str] = mapped_column(Id, ForeignKey("files.id"))


class EvaluationRow(Base):
    """Risk and information loss of a masked file, or of the file that a version would make."""

    __tablename__ = "evaluations"
    id: Mapped[str] = mapped_column(Id, primary_key=True, default=new_id)
    project_id: Mapped[str] = mapped_column(Id, ForeignKey("projects.id"), index=True)
    version: Mapped[int]
    masked_file_id: Mapped[str | None] = mapped_column(Id, ForeignKey("masked_files.id"))
    job_id: Mapped[str] = mapped_column(Id, ForeignKey("jobs.id"))
    keeps_limits: Mapped[bool]
    outcome: Mapped[bytes] = mapped_column(Sealed)
    created_at: Mapped[datetime] = mapped_column(Moment)


class SearchRow(Base):
    """The result of a search, and the version made from it."""

    __tablename__ = "searches"
    id: Mapped[str] = mapped_column(Id, primary_key=True, default=new_id)
    project_id: Mapped[str] = mapped_column(Id, ForeignKey("projects.id"), index=True)
    version: Mapped[int]
    found_version: Mapped[int]
    job_id: Mapped[str] = mapped_column(Id, ForeignKey("jobs.id"))
    keeps_limits: Mapped[bool]
    outcome: Mapped[bytes] = mapped_column(Sealed)
    created_at: Mapped[datetime] = mapped_column(Moment)


class ReportRow(Base):
    """A report on a masked file."""

    __tablename__ = "reports"
    id: Mapped[str] = mapped_column(Id, primary_key=True, default=new_id)
    project_id: Mapped[str] = mapped_column(Id, ForeignKey("projects.id"), index=True)
    masked_file_id: Mapped[str] = mapped_column(Id, ForeignKey("masked_files.id"))
    kind: Mapped[str] = mapped_column(text(10))
    file_id: Mapped[str] = mapped_column(Id, ForeignKey("files.id"))
    job_id: Mapped[str] = mapped_column(Id, ForeignKey("jobs.id"))
    created_at: Mapped[datetime] = mapped_column(Moment)
