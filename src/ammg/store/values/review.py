"""Reviews, releases, the audit log and the health of the server, as values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ammg.store.values.work import Part


@dataclass(frozen=True)
class Comment:
    """A comment in a review."""

    by: str
    at: datetime
    text: str


@dataclass(frozen=True)
class Review:
    """A masked file in review. States: submitted, approved, returned, taken back."""

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
    """A release, which never changes."""

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
    """An action."""

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
    """Whether the audit log is unchanged."""

    entries: int
    intact: bool
    first_broken: int | None
    reason: str


@dataclass(frozen=True)
class Health:
    """The state of the server."""

    status: str
    version: str
    database: str
    files: str
    free_bytes: int
    jobs: dict[str, int]
    workers: int


@dataclass(frozen=True)
class Storage:
    """Bytes by purpose, before encryption."""

    originals: int
    masked_files: int
    reports: int
    other: int
    """Journals of searches that can be resumed."""
    database: int | None
    free: int
