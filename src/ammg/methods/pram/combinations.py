"""The combinations of categories that occur, in groups within which values may change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ammg.data.block import Block
from ammg.summaries.cells import CellValues

Codes = NDArray[np.int32]
Floats = NDArray[np.float64]
_DENSE = 2**20  # keys that are looked up in a table


@dataclass(frozen=True, eq=False)
class Combinations:
    """Rows of categories, group by group; a row is found by the codes of its group columns and of its own columns."""

    codes: Codes
    """Rows × columns that change; -1 for missing."""
    counts: Floats
    starts: NDArray[np.int64]
    """The first row of each group, and behind them the number of rows."""
    group_codes: Codes
    """Groups × columns that make groups."""
    numbers: tuple[Floats | None, ...]
    """What the codes of group columns stand for, where these are numbers."""
    radices: tuple[int, ...]
    keys: NDArray[np.int64]
    """Key of each row, ascending, and the row in `places`."""
    places: NDArray[np.int32]

    def groups(self) -> Iterator[slice]:
        """The rows of each group."""
        for start, stop in zip(self.starts[:-1].tolist(), self.starts[1:].tolist(), strict=True):
            yield slice(start, stop)

    def group_values(self, row: int, dictionaries: Sequence[Sequence[Any] | None]) -> Iterator[Any]:
        """What the group columns show in the group of a row."""
        group = int(np.searchsorted(self.starts, row, side="right")) - 1
        for code, words, numbers in zip(self.group_codes[group].tolist(), dictionaries, self.numbers, strict=True):
            if code < 0:
                yield None
            elif numbers is not None:
                yield float(numbers[code])
            else:
                yield (words or ())[code]

    def rows(self, block: Block, within: Sequence[str], names: Sequence[str]) -> Codes:
        """The row of each record of a block; -1 where all its values are missing or the combination is unknown."""
        if not within and len(names) == 1 and len(self.places) == self.radices[0] - 1:
            return block[names[0]]  # type: ignore[return-value]  # every category has a row, in the order of the codes
        key = np.zeros(len(block), dtype=np.int64)
        known = np.ones(len(block), dtype=bool)
        for name, numbers, radix in zip(
            (*within, *names), (*self.numbers, *[None] * len(names)), self.radices, strict=True
        ):
            codes = _coded(block, name, numbers)
            known &= codes <= radix - 2
            key = key * radix + (codes + 1)
        bound = int(np.prod([float(radix) for radix in self.radices]))
        if bound <= _DENSE:
            table = np.full(bound, -1, dtype=np.int32)
            table[self.keys] = self.places
            return np.where(known, table[np.where(known, key, 0)], np.int32(-1)).astype(np.int32)
        place = np.minimum(np.searchsorted(self.keys, key), max(len(self.keys) - 1, 0))
        found = known & (self.keys[place] == key) if len(self.keys) else np.zeros(len(block), dtype=bool)
        return np.where(found, self.places[place] if len(self.keys) else 0, -1).astype(np.int32)


def observed(cells: CellValues, within: int, every: int | None = None) -> Combinations:
    """The combinations that occur, in groups by the first `within` columns and by what is missing in the others.

    Without others, every combination is a group of its own.

    With `every`, all so many categories of the one column that changes have a row in each group.
    """
    counts = cells.counts.astype(np.float64) if cells.weights is None else cells.weights
    own = cells.codes[:, within:]
    seen = (own >= 0).any(axis=1) if own.shape[1] else np.ones(len(cells), dtype=bool)
    codes, counts = cells.codes[seen], counts[seen]
    if every is not None:
        codes, counts = _filled(codes, counts, every)
    patterns = (codes[:, within:] < 0).astype(np.int32)
    groups = np.column_stack([codes[:, :within], patterns])
    order = np.lexsort((*codes[:, within:].T[::-1], *groups.T[::-1]))
    codes, counts, groups = codes[order], counts[order], groups[order]
    new = np.ones(len(codes), dtype=bool)
    new[1:] = (groups[1:] != groups[:-1]).any(axis=1)
    starts = np.append(np.flatnonzero(new), len(codes)).astype(np.int64)
    radices = tuple(int(column.max(initial=-1)) + 2 for column in codes.T) if codes.shape[1] else ()
    key = np.zeros(len(codes), dtype=np.int64)
    for column, radix in zip(codes.T, radices, strict=True):
        key = key * radix + (column + 1)
    place = np.argsort(key, kind="stable")
    return Combinations(
        codes[:, within:],
        counts,
        starts,
        codes[starts[:-1], :within],
        cells.numbers[:within],
        radices,
        key[place],
        place.astype(np.int32),
    )


def _filled(codes: Codes, counts: Floats, every: int) -> tuple[Codes, Floats]:
    """All categories of the last column in every group, with no record where there is none."""
    groups, place = np.unique(codes[:, :-1], axis=0, return_inverse=True)
    groups = groups if len(codes) else groups[:0]
    filled = np.column_stack([np.repeat(groups, every, axis=0), np.tile(np.arange(every), len(groups))])
    totals = np.zeros(len(filled))
    np.add.at(totals, place.reshape(-1) * every + codes[:, -1], counts)
    return filled.astype(np.int32), totals


def _coded(block: Block, name: str, numbers: Floats | None) -> NDArray[np.int64]:
    values = block[name]
    if numbers is None:
        return values.astype(np.int64)
    place = np.searchsorted(numbers, values)
    same = (place < len(numbers)) & (np.append(numbers, np.nan)[place] == values)
    return np.where(np.isnan(values), -1, np.where(same, place, len(numbers) + 1)).astype(np.int64)
