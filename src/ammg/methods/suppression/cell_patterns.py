"""Which keys are suppressed in the records of a combination, and in which of several equal records."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ammg.data.block import Block, Column
from ammg.draws import Draws
from ammg.summaries.cells import CellValues
from ammg.summaries.summary import Source, Summary

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_LABEL = "suppressed"
_TRIM = 1 << 18


@dataclass(frozen=True, eq=False)
class CellPatterns:
    """For some combinations of values the keys that their records lose.

    Where only some of the equal records of a cell lose values, those with the least weight do (`weight` names it, if
    it counts), and among equal weights those with the smallest draws. Entry e, of cell `cells[e]`, is for the records
    up to (`weights[e]`, `draws[e]`) that no entry before it is for.
    """

    columns: tuple[str, ...]
    numbers: tuple[Floats | None, ...]
    """What codes stand for in columns of numbers; see `CellValues`."""
    codes: Codes
    """The cells concerned."""
    cells: Ints
    patterns: Ints
    weights: Floats
    draws: Floats
    weight: str | None = None

    @cached_property
    def starts(self) -> Ints:
        """Where the entries of each cell start; one more than cells."""
        return np.searchsorted(self.cells, np.arange(len(self.codes) + 1)).astype(np.int64)

    def of(self, block: Block, draws: Draws) -> Ints:
        """The keys that each record loses, as bits."""
        from ammg.kernels.anonymity.lookup import find_rows

        lost = np.zeros(len(block), np.int64)
        if not len(self.codes) or not len(block):
            return lost
        cell = find_rows(self.codes, coded(block, self.columns, self.numbers))
        here = np.flatnonzero(cell >= 0)
        if not here.size:
            return lost
        order = draws.uniform(block.ids, _LABEL)[here] if self._needs_draws else np.zeros(here.size)
        weights = block.numbers(self.weight)[here] if self.weight else np.zeros(here.size)
        entry, stop = self.starts[cell[here]], self.starts[cell[here] + 1]
        while here.size:
            inside = (weights < self.weights[entry]) | ((weights == self.weights[entry]) & (order <= self.draws[entry]))
            lost[here[inside]] = self.patterns[entry[inside]]
            go_on = ~inside & (entry + 1 < stop)
            here, order, weights = here[go_on], order[go_on], weights[go_on]
            entry, stop = entry[go_on] + 1, stop[go_on]
        return lost

    @property
    def _needs_draws(self) -> bool:
        return bool(np.isfinite(self.draws).any())


def choose_records(
    source: Source,
    draws: Draws,
    values: CellValues,
    columns: tuple[str, ...],
    suppressed: tuple[Ints, Ints, Ints],
    weight: str | None = None,
) -> CellPatterns:
    """Turn "so many records of this cell lose these keys" into what can be told from a record alone.

    `suppressed` are cells, patterns and numbers of records, sorted by cell. Records are drawn only where a cell has
    more of them than lose values, or where they lose different ones.
    """
    cells, patterns, counts = suppressed
    distinct, place = np.unique(cells, return_inverse=True)
    total = np.bincount(place, counts, distinct.size).astype(np.int64)
    whole = np.append(np.diff(place) > 0, True) & (total == values.counts[distinct])[place]  # nobody is left after it
    within = np.cumsum(counts) - np.concatenate([np.zeros(1), np.cumsum(total)])[place].astype(np.int64)
    wanted = np.zeros(distinct.size, np.int64)
    np.maximum.at(wanted, place[~whole], within[~whole])
    bounds_w, bounds_u = np.full(cells.size, np.inf), np.full(cells.size, np.inf)
    if wanted.any():
        codes = values.codes[distinct]
        found = source.fold(_FirstRecords(columns, values.numbers, codes, wanted, draws, weight))
        starts = np.searchsorted(found.cells, np.arange(distinct.size))
        last = (starts[place] + within - 1)[~whole]
        bounds_w[~whole], bounds_u[~whole] = found.weights[last], found.draws[last]
    return CellPatterns(
        columns, values.numbers, values.codes[distinct], place.astype(np.int64), patterns, bounds_w, bounds_u, weight
    )


def coded(block: Block, columns: tuple[str, ...], numbers: tuple[Floats | None, ...]) -> list[Codes]:
    """Columns as the codes that a fold of cells gave them; -2 for a number that it has not seen."""
    found = []
    for name, known in zip(columns, numbers, strict=True):
        values = block[name]
        if values.dtype != np.float64:
            found.append(values.astype(np.int32, copy=False))
            continue
        known = np.zeros(0) if known is None else known
        place = np.minimum(np.searchsorted(known, values), max(0, known.size - 1))
        same = known[place] == values if known.size else np.zeros(values.size, np.bool_)
        found.append(np.where(np.isnan(values), -1, np.where(same, place, -2)).astype(np.int32))
    return found


def blanked(values: Column, gone: NDArray[np.bool_]) -> Column:
    """A column with some values missing."""
    if not gone.any():
        return values
    if values.dtype == np.float64:
        return np.where(gone, np.nan, values)
    return np.where(gone, np.int32(-1), values).astype(np.int32)


@dataclass(frozen=True, eq=False)
class _Records:
    """Records by cell, then by weight and draw."""

    cells: Ints
    weights: Floats
    draws: Floats


class _FirstRecords(Summary[_Records, _Records]):
    """The first records of some cells in the order of weight and draw, as many as wanted of each."""

    def __init__(
        self,
        columns: tuple[str, ...],
        numbers: tuple[Floats | None, ...],
        codes: Codes,
        wanted: Ints,
        draws: Draws,
        weight: str | None,
    ) -> None:
        self.keys, self.numbers, self.codes, self.wanted, self.random = columns, numbers, codes, wanted, draws
        self.weight = weight
        self.columns = tuple(dict.fromkeys((*columns, *([weight] if weight else []))))

    def add(self, block: Block) -> _Records:
        """Those of a chunk."""
        from ammg.kernels.anonymity.lookup import find_rows

        cells = find_rows(self.codes, coded(block, self.keys, self.numbers))
        here = np.flatnonzero((cells >= 0) & (self.wanted[cells] > 0))
        weights = block.numbers(self.weight)[here] if self.weight else np.zeros(here.size)
        draws = self.random.uniform(block.ids, _LABEL)[here] if here.size else np.zeros(0)
        return self._first(_Records(cells[here], weights, draws))

    def merge(self, left: _Records, right: _Records) -> _Records:
        """Keep all until they are many."""
        both = _Records(
            np.concatenate([left.cells, right.cells]),
            np.concatenate([left.weights, right.weights]),
            np.concatenate([left.draws, right.draws]),
        )
        return self._first(both) if both.cells.size > _TRIM + 2 * int(self.wanted.sum()) else both

    def finish(self, state: _Records | None) -> _Records:
        """Sorted and cut to what is wanted."""
        return _Records(np.zeros(0, np.int64), np.zeros(0), np.zeros(0)) if state is None else self._first(state)

    def _first(self, records: _Records) -> _Records:
        order = np.lexsort((records.draws, records.weights, records.cells))
        cells = records.cells[order]
        rank = np.arange(cells.size) - np.searchsorted(cells, cells)
        order = order[rank < self.wanted[cells]]
        return _Records(records.cells[order], records.weights[order], records.draws[order])
