"""Reviews, releases, the audit log and the health of the server, as values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ammg.store.values.work import Part


@dataclass(frozen=True)
class Comment:
    """What somebody said in a review."""

    by: str
    at: datetime
    text: str


@dataclass(frozen=True)
class Review:
    """A masked file before the panel. States: submitted, approved, returned, taken back."""

    id: str
    masked_file_id: str
    masked_file: str
    state: str
    statement: str
    reason: str
    submitted_by: str
    submitted_at: datetime
    decision: str
    decided_by: str | None
    decided_at: datetime | None
    needs_reason: bool
    broken: tuple[str, ...]
    gate: tuple[str, ...]
    comments: tuple[Comment, ...]


@dataclass(frozen=True)
class Release:
    """What left; it never changes."""

    id: str
    name: str
    masked_file_id: str
    review_id: str
    released_by: str
    approved_by: str
    released_at: datetime
    files: tuple[Part, ...]
    connection: str | None
    table: str | None
    withdrawn_at: datetime | None
    withdrawn_by: str | None
    withdrawn_reason: str


@dataclass(frozen=True)
class AuditEntry:
    """What somebody did."""

    number: int
    at: datetime
    actor: str
    action: str
    subject: str
    project_id: str | None
    details: dict[str, Any]
    previous: str
    hash: str


@dataclass(frozen=True)
class ChainState:
    """Whether the audit log is what was written."""

    entries: int
    intact: bool
    first_broken: int | None
    reason: str


@dataclass(frozen=True)
class Health:
    """How the server is."""

    status: str
    version: str
    database: str
    files: str
    free_bytes: int
    jobs: dict[str, int]
    workers: int


@dataclass(frozen=True)
class Storage:
    """Bytes by what they are for, as they were before encryption."""

    originals: int
    masked_files: int
    reports: int
    other: int
    """What searches that can be resumed have kept."""
    database: int | None
    free: int
