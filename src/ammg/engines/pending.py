"""Stages still to be applied to each chunk of a source that is not in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import polars as pl

from ammg.data.encoding import ID
from ammg.data.finding import Findings
from ammg.engines.engine import Passage, PlannedStep


@dataclass(frozen=True, eq=False)
class Pending:
    """Planned steps and conditions, in the order in which a chunk goes through them."""

    stages: tuple[PlannedStep | pl.Expr, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.stages)

    def then(self, stage: PlannedStep | pl.Expr) -> Pending:
        """Append a stage."""
        return Pending((*self.stages, stage))

    def since(self, earlier: Pending) -> Pending:
        """The stages that follow those of an earlier source."""
        return Pending(self.stages[len(earlier.stages) :])

    @property
    def steps(self) -> tuple[PlannedStep, ...]:
        """The planned steps among the stages."""
        return tuple(stage for stage in self.stages if isinstance(stage, PlannedStep))

    def apply(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Take a chunk through all stages."""
        return self.mask(frame)[0]

    def mask(self, frame: pl.DataFrame) -> tuple[pl.DataFrame, tuple[Findings, ...]]:
        """Take a chunk through all stages; returns the findings of each planned step."""
        found = []
        for stage in self.stages:
            if isinstance(stage, pl.Expr):
                frame = frame.filter(stage)
            else:
                frame, findings = stage.mask(frame)
                found.append(findings)
        return frame, tuple(found)

    def reads(self, columns: Iterable[str]) -> set[str]:
        """The input columns needed to compute `columns`; ids are always included."""
        wanted = set(columns)
        for stage in reversed(self.stages):
            wanted = wanted | set(stage.meta.root_names()) if isinstance(stage, pl.Expr) else stage.reads(wanted)
        return wanted - {ID}


def passages(frame: pl.DataFrame, ways: Sequence[Pending]) -> list[Passage]:
    """Take a chunk from stop to stop; the first way leads to the first stop."""
    first, *others = ways
    frame = first.apply(frame)
    found = []
    for way in others:
        after, findings = way.mask(frame)
        found.append(Passage(frame, after, findings))
        frame = after
    return found


def ways_between(stops: Sequence[Pending]) -> list[Pending]:
    """The stages before the first stop, and from each stop to the next."""
    return [stops[0], *(after.since(before) for before, after in pairwise(stops))]


def side_by_side(frame: pl.DataFrame, pending: Pending, columns: Sequence[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Some columns of a chunk before and after the stages, the same records in the same order."""
    return aligned(frame, pending.apply(frame), columns)


def aligned(frame: pl.DataFrame, masked: pl.DataFrame, columns: Sequence[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Some columns of records before and after, without dropped or added records.

    A dropped or added column is on one side only.
    """
    kept = masked[ID].is_in(frame[ID].implode())
    masked = masked.filter(kept)
    original = frame if len(masked) == len(frame) else masked.select(ID).join(frame, on=ID, maintain_order="left")
    before, after = set(original.columns), set(masked.columns)
    return original.select([n for n in columns if n in before]), masked.select([n for n in columns if n in after])


NOTHING = Pending()
"""For a source without pending stages."""
