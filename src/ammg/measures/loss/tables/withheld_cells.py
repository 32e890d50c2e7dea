"""Which cells of the original the release does not show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ammg.data.block import Block
from ammg.data.pair import Pair
from ammg.errors import NotDefined
from ammg.summaries.folded_pair import FoldedPair, PairSummary

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Withheld:
    """Counts by attribute, and of records."""

    names: tuple[str, ...]
    observed: Counts
    gone: Counts
    records: int
    dropped: int
    """Records that the release does not show, or shows without any value."""


def withheld(pair: Pair) -> Withheld:
    """Count what is withheld, from memory or chunk by chunk."""
    schema = pair.original.schema
    names = tuple(n for n in pair.analysed() if schema[n].is_categorical or schema[n].is_numeric)
    if not names or not pair.n:
        raise NotDefined("no attribute to compare" if pair.n else "no record to compare")
    if isinstance(pair, FoldedPair):
        shown = tuple(name for name in names if name in pair.released_schema)
        return pair.once(Withheld, lambda: pair.fold(_Withheld(names, shown)))
    shown = tuple(name for name in names if name in pair.masked.schema)
    return pair.once(Withheld, lambda: _in_memory(pair, _Withheld(names, shown)))


def _in_memory(pair: Pair, summary: _Withheld) -> Withheld:
    """From the missing values of both tables: no column has to be encoded for it."""
    names, shown = summary.original, summary.released
    there = np.zeros(pair.n, dtype=bool)
    real = pair.link >= 0
    there[pair.link[real]] = True
    had_any, shows_any = np.zeros(pair.n, dtype=bool), np.zeros(pair.n, dtype=bool)
    observed, gone = (np.zeros(len(names), dtype=np.int64) for _ in range(2))
    for position, name in enumerate(names):
        had, shows = ~pair.is_missing(name, masked=False), np.zeros(pair.n, dtype=bool)
        if name in shown:
            shows[pair.link[real]] = ~pair.is_missing(name, masked=True)[real]
        observed[position], gone[position] = np.count_nonzero(had), np.count_nonzero(had & ~shows)
        shows_any |= shows
        had_any |= had
    return Withheld(names, observed, gone, pair.n, int(np.count_nonzero(~there | (had_any & ~shows_any))))


class _Withheld(PairSummary[tuple[Counts, Counts, int, int], Withheld]):
    def __init__(self, names: tuple[str, ...], shown: tuple[str, ...]) -> None:
        self.original, self.released = names, shown

    def add(self, original: Block, released: Block) -> tuple[Counts, Counts, int, int]:
        place = np.searchsorted(released.ids, original.ids)
        place[place == len(released)] = 0
        there = released.ids[place] == original.ids if len(released) else np.zeros(len(original), dtype=bool)
        shows_any = np.zeros(len(original), dtype=bool)
        had_any = np.zeros(len(original), dtype=bool)
        observed, gone = (np.zeros(len(self.original), dtype=np.int64) for _ in range(2))
        for position, name in enumerate(self.original):
            had = ~original.is_missing(name)
            shows = np.zeros(len(original), dtype=bool)
            if name in released.columns:
                shows[there] = ~released.is_missing(name)[place[there]]
            observed[position], gone[position] = had.sum(), (had & ~shows).sum()
            shows_any |= shows
            had_any |= had
        return observed, gone, len(original), int((~there | (had_any & ~shows_any)).sum())

    def merge(
        self, left: tuple[Counts, Counts, int, int], right: tuple[Counts, Counts, int, int]
    ) -> tuple[Counts, Counts, int, int]:
        return left[0] + right[0], left[1] + right[1], left[2] + right[2], left[3] + right[3]

    def finish(self, state: tuple[Counts, Counts, int, int] | None) -> Withheld:
        nothing = np.zeros(len(self.original), dtype=np.int64)
        return Withheld(self.original, *(state or (nothing, nothing, 0, 0)))
