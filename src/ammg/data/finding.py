"""Facts that a method learns only while it masks, and that its plan could not contain."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from ammg.data.published import Published


class Finding(ABC):
    """One fact about a block, a stratum or the file; findings of the same class are merged.

    `mask` returns findings with its block (`Block.with_findings`). The engine merges them in the order of the records,
    so that every engine reports the same, and adds the result to the notes and published facts of the step.
    A finding is picklable and small, because it travels between the workers of a cluster.
    """

    @abstractmethod
    def merge(self, later: Self) -> Self:
        """Merge this finding with that of later records."""

    def notes(self) -> tuple[str, ...]:
        """Notes for the owner about how the step went."""
        return ()

    def published(self) -> tuple[Published, ...]:
        """Facts that a published description of the step would contain; methods that have some declare `finds`."""
        return ()


@dataclass(frozen=True)
class Findings:
    """At most one finding of each class, in order of appearance."""

    found: tuple[Finding, ...] = ()

    @classmethod
    def of(cls, found: Iterable[Finding]) -> Findings:
        """Merge findings of the same class, from first to last."""
        merged: dict[type[Finding], Finding] = {}
        for finding in found:
            kind = type(finding)
            merged[kind] = merged[kind].merge(finding) if kind in merged else finding
        return cls(tuple(merged.values()))

    def __bool__(self) -> bool:
        return bool(self.found)

    def __add__(self, later: Findings) -> Findings:
        """Merge with the findings of later records."""
        return Findings.of((*self.found, *later.found)) if later.found else self

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of all findings."""
        return tuple(note for finding in self.found for note in finding.notes())

    @property
    def published(self) -> tuple[Published, ...]:
        """The published facts of all findings."""
        return tuple(fact for finding in self.found for fact in finding.published())


NOTHING_FOUND = Findings()
