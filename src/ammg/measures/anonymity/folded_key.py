"""The key of a release that is not in memory, as counted cells; on disk if there are many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.data.block import Block
from ammg.data.scenario import Scenario
from ammg.errors import InputError, NotDefined
from ammg.measures.anonymity.released_key import Floats, Missing, too_light
from ammg.summaries.cells import CellCounts, CellValues, together
from ammg.summaries.folded_pair import FoldedPair, PairSummary
from ammg.summaries.spilled_cells import MOST_IN_MEMORY, SpilledCells

Held = tuple[CellValues, ...] | SpilledCells


class Alike(NamedTuple):
    """Some of the cells: their frequency in the file and in the population, and their records."""

    sample: Floats
    population: Floats | None
    records: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class FoldedKey:
    """The cells of the known attributes in a released file that is not in memory."""

    names: tuple[str, ...]
    cells: CellValues | SpilledCells
    weight: str | None
    least_weight: float

    def counts(self) -> Iterator[CellValues]:
        """Every cell, in one part of them."""
        if isinstance(self.cells, CellValues):
            yield self.cells
            return
        yield from self.cells.parts()
        if self.cells.incomplete:
            yield together(self.cells.incomplete)

    def frequencies(self, missing: Missing) -> Iterator[Alike]:
        """How many records look like those of each cell, and how many people they stand for, part by part."""
        if self.weight and not self.least_weight >= 1:
            raise InputError(too_light(self.weight, "some record", self.least_weight))
        if missing != "available":
            for cells in self.counts():
                yield Alike(cells.counts.astype(np.float64), cells.weights, cells.counts)
        elif isinstance(self.cells, CellValues):
            yield _matched(self.cells)
        elif not self.cells.incomplete:
            yield from self.frequencies("category")
        else:
            yield from self._with_incomplete(self.cells)

    def _with_incomplete(self, cells: SpilledCells) -> Iterator[Alike]:
        """Cells with missing values match cells of every part; the contributions of all parts are added up."""
        incomplete = together(cells.incomplete)
        alone = _matched(incomplete)
        sample = alone.sample.copy()
        population = None if alone.population is None else alone.population.copy()
        for part in cells.parts():
            both = together((part, incomplete))
            found = _matched(both)
            whole = (both.codes >= 0).all(axis=1)
            sample += found.sample[~whole] - alone.sample
            if population is not None and found.population is not None and alone.population is not None:
                population += found.population[~whole] - alone.population
            people = None if found.population is None else found.population[whole]
            yield Alike(found.sample[whole], people, both.counts[whole])
        yield Alike(sample, population, incomplete.counts)


def _matched(cells: CellValues) -> Alike:
    from ammg.kernels.anonymity.wildcards import count_matches

    codes = [np.ascontiguousarray(column) for column in cells.codes.T]
    sizes = [int(column.max(initial=0)) + 1 for column in codes]
    f = count_matches(codes, sizes, cells.counts.astype(np.float64))[1]
    people = None if cells.weights is None else count_matches(codes, sizes, cells.weights)[1]
    return Alike(f, people, cells.counts)


def folded_key(pair: FoldedPair, scenario: Scenario) -> FoldedKey:
    """The cells of the attributes that the scenario knows and the release shows.

    Raises:
        NotDefined: there are none, or no records.
    """
    names = tuple(name for name in scenario.known_in(pair.original.schema) if name in pair.released_schema)
    if not names:
        raise NotDefined("no known attribute is in the masked file")
    if not pair.t:
        raise NotDefined("the masked file has no records")
    weight = pair.released_schema.weight
    return pair.once((folded_key, names), lambda: FoldedKey(names, *pair.fold(_KeyCells(names, weight))))


class _KeyCells(PairSummary[tuple[Held, float], tuple[CellValues | SpilledCells, str | None, float]]):
    """The cells of the released key, and the least weight; NaN if one is missing."""

    def __init__(self, names: tuple[str, ...], weight: str | None) -> None:
        self.counts = CellCounts(names, weight)
        self.released = self.counts.columns

    def add(self, original: Block, released: Block) -> tuple[Held, float]:
        weights = released.numbers(self.counts.weight) if self.counts.weight else np.zeros(0)
        return self.counts.add(released), float(np.min(weights, initial=np.inf))

    def merge(self, left: tuple[Held, float], right: tuple[Held, float]) -> tuple[Held, float]:
        return self._merged(left[0], right[0]), float(np.minimum(left[1], right[1]))

    def _merged(self, left: Held, right: Held) -> Held:
        assert not isinstance(right, SpilledCells)  # chunks come one after the other
        if isinstance(left, tuple):
            left = self.counts.merge(left, right)
            if len(left[0]) <= MOST_IN_MEMORY:
                return left
            right, left = left, SpilledCells(self.counts)
        left.add(right)
        return left

    def finish(self, state: tuple[Held, float] | None) -> tuple[CellValues | SpilledCells, str | None, float]:
        cells, least = state or (None, np.inf)
        found = cells if isinstance(cells, SpilledCells) else self.counts.finish(cells)
        return found, self.counts.weight, least
