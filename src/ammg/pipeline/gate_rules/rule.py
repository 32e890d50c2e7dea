"""What a rule of the gate is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ammg.pipeline.gate_rules.evidence import Evidence


@dataclass(frozen=True)
class Finding:
    """One reason against a release, or a note that does not block it."""

    message: str
    blocks: bool = True


@dataclass(frozen=True)
class Rule:
    """A name, a sentence that says what the rule stops, and the check."""

    name: str
    sentence: str
    check: Callable[[Evidence], Iterable[Finding]]
