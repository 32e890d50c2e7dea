"""What a method finds out while it masks, and the plan could not know."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from ammg.data.published import Published


class Finding(ABC):
    """One fact about a block, a stratum or the file; those of one class add up.

    `mask` returns findings with its block (`Block.with_findings`). The engine merges them in the order of the records,
    so that every engine tells the same, and what they amount to joins the notes and the published facts of the step.
    A finding is picklable and small: it travels from the workers of a cluster.
    """

    @abstractmethod
    def merge(self, later: Self) -> Self:
        """This finding together with that of later records."""

    def notes(self) -> tuple[str, ...]:
        """What the owner should know about how the step went."""
        return ()

    def published(self) -> tuple[Published, ...]:
        """What a published description of the step would tell; a method that has some declares `finds`."""
        return ()


@dataclass(frozen=True)
class Findings:
    """At most one finding of each class, in the order in which they turned up."""

    found: tuple[Finding, ...] = ()

    @classmethod
    def of(cls, found: Iterable[Finding]) -> Findings:
        """Merge findings of the same class, from the left."""
        merged: dict[type[Finding], Finding] = {}
        for finding in found:
            kind = type(finding)
            merged[kind] = merged[kind].merge(finding) if kind in merged else finding
        return cls(tuple(merged.values()))

    def __bool__(self) -> bool:
        return bool(self.found)

    def __add__(self, later: Findings) -> Findings:
        """These together with those of later records."""
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
