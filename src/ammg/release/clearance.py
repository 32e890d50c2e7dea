"""What the audit of a release found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Clearance:
    """Reasons against a release, what its owner should know, and why it was forced if it was."""

    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    forced: str | None = None
    """The written reason of whoever released in spite of the reasons against it."""
