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
    """Role of the current person."""
    version: int
    """Number of the current version; 0 if there is none."""
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
    """Whether a search stored the secret of the file that it evaluated."""


@dataclass(frozen=True)
class Version(VersionInfo):
    """A project file."""

    text: str
    document: dict[str, Any]


@dataclass(frozen=True)
class DataSet:
    """An original. States: checking, ready, unread (stored, but reading needs options), removed."""

    id: str
    name: str
    state: str
    size: int
    records: int | None
    reason: str
    created_by: str
    created_at: datetime
    job_id: str | None = None
    """The job that reads it, just after an upload."""


@dataclass(frozen=True)
class Download:
    """A file to be downloaded, in chunks."""

    name: str
    size: int
    chunks: Iterator[bytes] = field(repr=False)
    media_type: str = "application/octet-stream"
    sha256: str | None = None


@dataclass(frozen=True)
class Connection:
    """A database allowed by an administrator."""

    id: str
    name: str
    reads: bool
    writes: bool
    url: str | None
    """Without password, and for administrators only."""
