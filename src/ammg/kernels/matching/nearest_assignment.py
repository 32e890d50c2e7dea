"""One-to-one links with the least sum of distances: each masked record gets its own original."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.jit import jit, jit_part
from ammg.kernels.kd_tree import ABSOLUTE, SQUARED
from ammg.kernels.linkage.nearest import k_nearest
from ammg.kernels.linkage.pair_scores import Candidates
from ammg.kernels.matching.assignment import UNLINKED, Assignment, assign_all, assign_by_prices

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DENSE_PAIRS = 2_000_000  # up to this many, solving on all pairs is fastest
NEIGHBOURS = 20  # candidates per round
BLOCK = 1024  # originals at a time: their columns fit into the second-level cache, and the sums into the first
CELLS = 1 << 18  # distances handed over at a time, which fit into the second-level cache


def assign_nearest(
    original: Floats,
    masked: Floats,
    *,
    kinds: Ints | None = None,
    limit: float = np.inf,
) -> Assignment:
    """Link masked records one to one with originals in a common space (see `nearest` for columns and distances).

    Records farther apart than `limit` are not linked: beyond it, all wrong records count the same.
    """
    sides = len(masked), len(original)
    if not all(sides) or not original.shape[1]:
        return Assignment(np.full(len(masked), UNLINKED, dtype=np.int64), 0.0)
    kind = np.full(original.shape[1], SQUARED, dtype=np.int64) if kinds is None else kinds
    weight = np.ones(original.shape[1])
    farthest = _diameter(original, masked, kind, weight) + 1.0  # used in place of infinity, without a common column
    if sides[0] * sides[1] <= DENSE_PAIRS:
        distances = all_distances(original, masked, kind, weight)
        distances = np.minimum(distances, min(limit, farthest))
        links = assign_all(-distances).links
        linked = (links >= 0) & (distances[np.arange(len(masked)), links] < limit)
        return Assignment(np.where(linked, links, UNLINKED), 0.0)

    def best(prices: Floats) -> Candidates:
        rows, distances = k_nearest(
            original,
            masked,
            min(NEIGHBOURS, len(original)),
            kinds=kind,
            weights=weight,
            prices=prices,
        )
        return Candidates(rows, prices[rows] - distances)

    return assign_by_prices(best, sides, -min(limit, farthest))


def all_distances(original: Floats, masked: Floats, kinds: Ints, weights: Floats) -> Floats:
    """The distances of all pairs, masked records in rows: those of `kd_tree.distance`."""
    distances = np.empty((len(masked), len(original)))

    def take(start: int, stop: int, found: Floats) -> None:
        distances[start:stop] = found

    over_distances(original, masked, kinds, weights, take)
    return distances


def over_distances(
    original: Floats, masked: Floats, kinds: Ints, weights: Floats, take: Callable[[int, int, Floats], None]
) -> None:
    """Hand all distances to `take`: first and last masked record, and their distances from all originals.

    It is called in threads, and may change the distances.
    """
    columns = np.ascontiguousarray(original.T)
    gaps = np.array([not np.isfinite(column).all() for column in columns], dtype=bool)
    records = np.ascontiguousarray(masked)

    def work(start: int, stop: int) -> None:
        found = np.empty((stop - start, len(original)))
        _measure(columns, gaps, records[start:stop], kinds, weights, np.empty(BLOCK, dtype=np.int64), found)
        take(start, stop, found)

    over_blocks(work, len(masked), block=max(1, CELLS // max(len(original), 1)))


def _diameter(original: Floats, masked: Floats, kinds: Ints, weights: Floats) -> float:
    """An upper bound of the distance between any two records."""
    both = np.concatenate([original, masked])
    spread = np.where(np.isnan(both), -np.inf, both).max(axis=0) - np.where(np.isnan(both), np.inf, both).min(axis=0)
    spread = np.maximum(spread, 0.0)  # -inf where all is missing
    largest = np.select([kinds == SQUARED, kinds == ABSOLUTE], [spread**2, spread], weights)
    return float(largest.max(initial=0.0) * len(kinds))  # scaling for missing columns cannot exceed this


@jit
def _measure(
    columns: Floats,
    gaps: NDArray[np.bool_],
    records: Floats,
    kinds: Ints,
    weights: Floats,
    missing: Ints,
    distances: Floats,
) -> None:
    """Write the distances of records from the originals in `columns`, of which those with `gaps` are not all finite."""
    m, n = columns.shape
    for first in range(0, n, BLOCK):
        size = min(BLOCK, n - first)
        for i in range(len(records)):
            total = distances[i, first : first + size]
            for k in range(size):
                total[k] = 0.0
                missing[k] = 0
            has_gaps = False
            for j in range(m):
                value, column = records[i, j], columns[j, first : first + size]
                if gaps[j] or not np.isfinite(value):
                    has_gaps = True
                    _add_seen(value, column, kinds[j], weights[j], missing, total)
                else:
                    _add(value, column, kinds[j], weights[j], total)
            if has_gaps:
                for k in range(size):
                    if missing[k] == m:
                        total[k] = np.inf
                    elif missing[k] > 0:
                        total[k] = total[k] * m / (m - missing[k])


@jit_part
def _add(value: float, column: Floats, kind: int, weight: float, total: Floats) -> None:
    """Add the distances of a value from those of a column; all are finite."""
    if kind == SQUARED:
        for k in range(len(column)):
            gap = value - column[k]
            total[k] += gap * gap
    elif kind == ABSOLUTE:
        for k in range(len(column)):
            total[k] += abs(value - column[k])
    else:
        for k in range(len(column)):
            total[k] += 0.0 if column[k] == value else weight


@jit_part
def _add_seen(value: float, column: Floats, kind: int, weight: float, missing: Ints, total: Floats) -> None:
    """The same where values may be missing or infinite; counts the pairs without a distance."""
    for k in range(len(column)):
        gap = value - column[k]
        if gap != gap:
            missing[k] += 1
        elif kind == SQUARED:
            total[k] += gap * gap
        elif kind == ABSOLUTE:
            total[k] += abs(gap)
        elif gap != 0.0:
            total[k] += weight
