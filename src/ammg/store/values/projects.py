"""Projects, versions, data sets and connections, as values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class Project:
    """A project as a member sees it."""

    id: str
    name: str
    description: str
    owner: str
    role: str
    """Of the person who asks."""
    version: int
    """Number of the current version; 0 before there is one."""
    created_at: datetime


@dataclass(frozen=True)
class ProjectLine:
    """A project in the list."""

    project: Project
    state: str
    changed_at: datetime


@dataclass(frozen=True)
class Member:
    """A person and their role."""

    user_id: str
    name: str
    full_name: str
    role: str
    since: datetime


@dataclass(frozen=True)
class VersionInfo:
    """A version without its text."""

    number: int
    based_on: int | None
    note: str
    created_by: str
    created_at: datetime
    is_current: bool
    has_secret: bool
    """Whether a search left the secret of the file that it judged."""


@dataclass(frozen=True)
class Version(VersionInfo):
    """A project file."""

    text: str
    document: dict[str, Any]


@dataclass(frozen=True)
class DataSet:
    """An original. States: checking, ready, unread (kept, but the reader needs options), removed."""

    id: str
    name: str
    state: str
    size: int
    records: int | None
    reason: str
    created_by: str
    created_at: datetime
    job_id: str | None = None
    """The job that reads it, right after an upload."""


@dataclass(frozen=True)
class Download:
    """A file on its way out, in chunks."""

    name: str
    size: int
    chunks: Iterator[bytes] = field(repr=False)
    media_type: str = "application/octet-stream"
    sha256: str | None = None


@dataclass(frozen=True)
class Connection:
    """A database that an administrator allows."""

    id: str
    name: str
    reads: bool
    writes: bool
    url: str | None
    """Without password, and for administrators alone."""
