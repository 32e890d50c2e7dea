"""Results of the release checks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Clearance:
    """Problems that block a release, notes, and the reason if it was forced."""

    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    forced: str | None = None
    """The reason given for releasing in spite of failed checks."""
