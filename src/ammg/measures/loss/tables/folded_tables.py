"""Tables of two files that are not in memory, as the losses of categories compare them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ammg.data.dictionary import joined
from ammg.data.published import Recoding
from ammg.measures.loss.tables.comparison import Floats, Ints, Names, TableComparison, Transition, transition
from ammg.summaries.folded_pair import FoldedPair
from ammg.summaries.pair_tables import PairTables, TableCounts


@dataclass(frozen=True, eq=False)
class FoldedTables(TableComparison):
    """Of files that are not in memory; categories alone."""

    pair: FoldedPair
    spanned: tuple[Names, ...]
    weighted: bool

    @cached_property
    def _counts(self) -> TableCounts:
        shown = tuple(name for name in self.names if name in self.pair.released_schema)
        weights = (self.pair.original.schema.weight, self.pair.released_schema.weight)
        counts = self.pair.fold(PairTables(self.names, shown, self.spanned, weights if self.weighted else (None, None)))
        return counts or TableCounts({}, {}, {}, {})

    @cached_property
    def _joints(self) -> dict[str, tuple[Floats, Ints, tuple[Any, ...], Ints]]:
        found = {}
        for name in self.names:
            before, after = self._counts.dictionaries[name]
            own, categories = np.arange(len(before)), before
            for recoding in self.pair.recodings(name):
                own, categories = _recoded(recoding, own, categories)
            common, places = joined(categories, after)
            joint = _moved(self._counts.joint[name], 1, places, len(common))
            found[name] = (joint, own, common, places.astype(np.int64))
        return found

    def joint(self, name: str) -> tuple[Floats, Ints, tuple[Any, ...]]:
        """Originals by category and released class, the class that stands for each category, and the classes."""
        return self._joints[name][:3]

    @cached_property
    def _transitions(self) -> dict[str, Transition]:
        return {
            name: transition(joint, own, bool(self.pair.recodings(name)))
            for name, (joint, own, _, _) in self._joints.items()
        }

    def transition(self, name: str) -> Transition:
        """From the chunks."""
        return self._transitions[name]

    def shape(self, name: str) -> tuple[int, int]:
        """From the dictionaries."""
        _, own, classes = self.joint(name)
        return len(own), len(classes)

    def raw(self, names: Names) -> tuple[Floats, Floats]:
        """From the chunks."""
        before, after = self._counts.before[names], self._counts.after[names]
        for axis, name in enumerate(names):
            _, _, classes, places = self._joints[name]
            after = _moved(after, axis, places, len(classes))
        return before, after


def _recoded(recoding: Recoding, own: Ints, categories: tuple[Any, ...]) -> tuple[Ints, tuple[Any, ...]]:
    table, after = recoding.table(categories)
    return table[own].astype(np.int64), after


def _moved(table: Floats, axis: int, places: NDArray[Any], size: int) -> Floats:
    """A table whose codes along an axis are renumbered."""
    along = np.moveaxis(table, axis, 0)
    out = np.zeros((size + 1, *along.shape[1:]))
    np.add.at(out, np.append(places, size), along)
    return np.moveaxis(out, 0, axis)
