"""How many records share their values on the key, in both files."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ammg.data.block import Block
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.measures.measure import Loss
from ammg.measures.measurement import Measurement
from ammg.params import param
from ammg.summaries.cells import CellCounts, CellValues
from ammg.summaries.folded_pair import FoldedPair, PairSummary

State = tuple[tuple[CellValues, ...], tuple[CellValues, ...]]


@dataclass(frozen=True, eq=False)
class ClassSizes:
    """Sizes of the classes of records with equal values on the key."""

    before: NDArray[np.int64]
    after: NDArray[np.int64]
    """Without the records of which the release shows no key value."""
    withheld: int
    """Original records that the release does not show, or without any key value."""

    @property
    def records(self) -> int:
        """Records of the original."""
        return int(self.before.sum())


class ClassSizeLoss(Loss):
    """Base of the losses that depend on the sizes of classes alone."""

    columns: tuple[str, ...] | None = param(
        None, "Attributes that make the classes; by default the keys, or all with categories."
    )

    @abstractmethod
    def of(self, sizes: ClassSizes) -> Measurement:
        """The loss that class sizes show."""

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Count all records at once."""
        names = self._names(pair)
        shown = tuple(name for name in names if name in pair.masked.schema)
        summary = _Classes(names, shown)
        return self.of(summary.finish(summary.add(pair.original.block(names), pair.masked.block(shown))))

    def fold(self, pair: FoldedPair, scenario: Scenario) -> Measurement:
        """Count chunk by chunk."""
        names = self._names(pair)
        return self.of(pair.fold(_Classes(names, tuple(name for name in names if name in pair.released_schema))))

    def _names(self, pair: Pair) -> tuple[str, ...]:
        schema = pair.original.schema
        named = self.columns or schema.keys or [n for n in pair.analysed() if schema[n].is_categorical]
        names = tuple(name for name in named if schema[name].is_categorical or schema[name].is_numeric)
        if not names:
            raise NotDefined("no attribute is a key or has categories")
        if not pair.n:
            raise NotDefined("no record to compare")
        return names


class _Classes(PairSummary[State, ClassSizes]):
    """The cells of both files."""

    def __init__(self, names: tuple[str, ...], shown: tuple[str, ...]) -> None:
        self.original, self.released = names, shown
        self.before, self.after = CellCounts(names), CellCounts(shown)

    def add(self, original: Block, released: Block) -> State:
        return self.before.add(original), self.after.add(released)

    def merge(self, left: State, right: State) -> State:
        return self.before.merge(left[0], right[0]), self.after.merge(left[1], right[1])

    def finish(self, state: State | None) -> ClassSizes:
        before = self.before.finish(None if state is None else state[0])
        after = self.after.finish(None if state is None else state[1])
        empty = (after.codes < 0).all(axis=1) if self.released else np.ones(len(after), dtype=bool)
        blank_before = int(before.counts[(before.codes < 0).all(axis=1)].sum())
        shown = after.counts[~empty] if blank_before == 0 else after.counts
        withheld = max(0, int(before.counts.sum()) - int(shown.sum()))
        return ClassSizes(before.counts, shown, withheld)
