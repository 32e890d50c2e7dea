"""What a rule of the gate is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ammg.release.gate_rules.evidence import Evidence, Look


@dataclass(frozen=True)
class Finding:
    """One problem that blocks a release, or a note that does not."""

    message: str
    blocks: bool = True


@dataclass(frozen=True)
class Rule:
    """A name, a sentence that says what the rule requires, and the check.

    What the check needs from every record is collected by `look`, one part of the records at a time.
    """

    name: str
    sentence: str
    check: Callable[[Evidence], Iterable[Finding]]
    look: Look | None = None
