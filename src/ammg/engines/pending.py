"""What is still to be done to each chunk of a source that is not in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from ammg.data.encoding import ID
from ammg.engines.engine import PlannedStep


@dataclass(frozen=True, eq=False)
class Pending:
    """Planned steps and conditions, in the order in which a chunk goes through them."""

    stages: tuple[PlannedStep | pl.Expr, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.stages)

    def then(self, stage: PlannedStep | pl.Expr) -> Pending:
        """One stage more."""
        return Pending((*self.stages, stage))

    def apply(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Take a chunk through all stages."""
        for stage in self.stages:
            frame = frame.filter(stage) if isinstance(stage, pl.Expr) else stage.apply(frame)
        return frame

    def reads(self, columns: Iterable[str]) -> set[str]:
        """The columns that must go in so that `columns` come out; ids always do."""
        wanted = set(columns)
        for stage in reversed(self.stages):
            wanted = wanted | set(stage.meta.root_names()) if isinstance(stage, pl.Expr) else stage.reads(wanted)
        return wanted - {ID}


def side_by_side(frame: pl.DataFrame, pending: Pending, columns: Sequence[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Some columns of a chunk and of what becomes of it, the same records in the same order."""
    masked = pending.apply(frame)
    kept = masked[ID].is_in(frame[ID].implode())
    masked = masked.filter(kept)
    original = frame if len(masked) == len(frame) else masked.select(ID).join(frame, on=ID, maintain_order="left")
    return original.select(columns), masked.select(columns)


NOTHING = Pending()
"""For a source that is what it was read as."""
