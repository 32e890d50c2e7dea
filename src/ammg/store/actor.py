"""Who asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SCOPES = {
    "read": "See projects, jobs and results.",
    "write": "Change projects, versions, data sets and members.",
    "run": "Start and cancel jobs.",
    "review": "Submit, comment, approve and return.",
    "release": "Release and withdraw.",
    "admin": "What administrators do.",
}
"""What a token may be allowed to do; a person who signed in may do all of it."""


@dataclass(frozen=True)
class Actor:
    """A person who was recognised by a session or a token."""

    user_id: str
    name: str
    is_administrator: bool
    via: Literal["session", "token"]
    key_id: str
    """The id of the session or token."""
    scopes: frozenset[str] | None = None
    """None: all."""

    def may(self, scope: str) -> bool:
        """Whether the session or token includes the scope."""
        return self.scopes is None or scope in self.scopes
