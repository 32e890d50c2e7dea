"""Methods that an engine cannot run, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Gap:
    """A method that an engine does not run: not yet, or never because of how it works."""

    status: Literal["not_yet", "never"]
    reason: str
    """Completes the sentence 'it does not run here, because …'."""
    unless: str = ""
    """The condition under which it does run."""

    @property
    def words(self) -> str:
        """The status as part of a sentence."""
        return "does not run on {engine} yet" if self.status == "not_yet" else "cannot run on {engine}"
