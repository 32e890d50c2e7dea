"""Jobs and their results, as values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class Job:
    """Work that runs in the background. States: waiting, running, finished, failed, cancelled."""

    id: str
    project_id: str
    kind: str
    state: str
    done: float
    total: float
    label: str
    reason: str
    result: dict[str, Any]
    created_by: str
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    attempt: int

    @property
    def is_over(self) -> bool:
        """Whether the job is in a final state."""
        return self.state in ("finished", "failed", "cancelled")


@dataclass(frozen=True)
class SystemJob:
    """A job as administrators see it, with the name of its project."""

    job: Job
    project: str


@dataclass(frozen=True)
class JobEvent:
    """A change of state or a line of the log."""

    number: int
    at: datetime
    kind: str
    text: str


@dataclass(frozen=True)
class Part:
    """One of the files that belong to a masked file or a release."""

    name: str
    file_name: str
    role: str
    """public, team (all members; it does not leave), internal (owner and reviewer) or private (owner)."""
    size: int
    sha256: str | None


@dataclass(frozen=True)
class MaskedFile:
    """A masked file."""

    id: str
    name: str
    version: int
    job_id: str
    evaluation_id: str | None
    records: int
    broken: tuple[str, ...]
    """Limits that are not met, in one sentence each."""
    gate: tuple[str, ...]
    """Problems found by the release checks."""
    force: str
    """The reason for making it despite them."""
    needs_reason: bool
    notes: tuple[str, ...]
    parts: tuple[Part, ...]
    created_by: str
    created_at: datetime


@dataclass(frozen=True)
class FirstRecords:
    """The first records of a masked file."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    records: int
    """Number of records in the file."""


@dataclass(frozen=True)
class Evaluation:
    """Risk and information loss."""

    id: str
    version: int
    """0: the unmasked records, without any method."""
    masked_file_id: str | None
    job_id: str
    keeps_limits: bool
    created_at: datetime
    values: dict[str, Any] | None = None
    """All measurements and charts; None in lists. `people`, about single people, is for the owner."""


@dataclass(frozen=True)
class Comparison:
    """Evaluations side by side: one row per measure, one column per evaluation."""

    columns: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class Search:
    """The result of a search."""

    id: str
    version: int
    found_version: int
    job_id: str
    keeps_limits: bool
    created_at: datetime
    values: dict[str, Any] | None = None


@dataclass(frozen=True)
class ReportInfo:
    """A report on a masked file."""

    id: str
    masked_file_id: str
    kind: str
    job_id: str
    size: int
    created_at: datetime
