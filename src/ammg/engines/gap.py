"""What an engine cannot run, and why."""

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
    """When it does run all the same."""

    @property
    def words(self) -> str:
        """The status as it stands in a sentence."""
        return "does not run on {engine} yet" if self.status == "not_yet" else "cannot run on {engine}"
