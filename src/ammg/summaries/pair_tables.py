"""Tables of both files, and the released categories of each original category, added up over chunks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ammg.data.block import Block
from ammg.kernels.loss.tables import cross_counts
from ammg.summaries.folded_pair import PairSummary

Codes = NDArray[np.int32]
Floats = NDArray[np.float64]
Names = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class TableCounts:
    """Tables by the attributes that span them, and the joint counts of original and released categories.

    Codes are those of each file's own dictionary; the last entry of every axis is for missing values, and in `joint`
    also for removed values, records and columns.
    """

    before: Mapping[Names, Floats]
    after: Mapping[Names, Floats]
    joint: Mapping[str, Floats]
    dictionaries: Mapping[str, tuple[tuple[Any, ...], tuple[Any, ...]]]


class PairTables(PairSummary[TableCounts, TableCounts | None]):
    """Counts of categories, or sums of weights if weights are named."""

    def __init__(
        self,
        names: Names,
        shown: Names,
        spanned: Iterable[Names],
        weights: tuple[str | None, str | None] = (None, None),
    ) -> None:
        self.names, self.shown, self.spanned, self.weights = names, shown, tuple(spanned), weights
        self.original = (*names, *(name for name in weights[:1] if name))
        self.released = (*shown, *(name for name in weights[1:] if name))

    def add(self, original: Block, released: Block) -> TableCounts:
        """Tables of a chunk."""
        before = {name: _codes(original, name) for name in self.names}
        after = {name: _codes(released, name) for name in self.names}
        place = np.searchsorted(released.ids, original.ids)
        place[place == len(released)] = 0
        there = released.ids[place] == original.ids if len(released) else np.zeros(len(original), dtype=bool)
        sizes = {name: (_size(original, name), _size(released, name)) for name in self.names}
        weights = [
            block.numbers(name) if name else None
            for block, name in zip((original, released), self.weights, strict=True)
        ]
        joint = {}
        for name in self.names:
            found = np.full(len(original), -1, dtype=np.int32)
            found[there] = after[name][place[there]]
            joint[name] = cross_counts([before[name], found], sizes[name], weights[0])
        sides = [
            {names: cross_counts([codes[n] for n in names], [sizes[n][side] for n in names], weights[side])}
            for side, codes in enumerate((before, after))
            for names in self.spanned
        ]
        half = len(self.spanned)
        return TableCounts(
            {names: table for found in sides[:half] for names, table in found.items()},
            {names: table for found in sides[half:] for names, table in found.items()},
            joint,
            {name: (_dictionary(original, name), _dictionary(released, name)) for name in self.names},
        )

    def merge(self, left: TableCounts, right: TableCounts) -> TableCounts:
        """Counts add."""
        return TableCounts(
            {names: table + right.before[names] for names, table in left.before.items()},
            {names: table + right.after[names] for names, table in left.after.items()},
            {name: table + right.joint[name] for name, table in left.joint.items()},
            left.dictionaries,
        )

    def finish(self, state: TableCounts | None) -> TableCounts | None:
        """The counts themselves."""
        return state


def _codes(block: Block, name: str) -> Codes:
    if name not in block.columns:
        return np.full(len(block), -1, dtype=np.int32)
    return block[name]  # type: ignore[return-value]


def _dictionary(block: Block, name: str) -> tuple[Any, ...]:
    return (block.schema[name].categories or ()) if name in block.columns else ()


def _size(block: Block, name: str) -> int:
    return len(_dictionary(block, name))
