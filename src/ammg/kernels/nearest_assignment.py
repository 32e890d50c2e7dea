"""One-to-one links that make the sum of distances least: each masked record gets an original of its own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.assignment import UNLINKED, Assignment, assign_all, assign_by_prices
from ammg.kernels.blocks import Tick, over_blocks
from ammg.kernels.jit import jit
from ammg.kernels.kd_tree import SQUARED, distance
from ammg.kernels.nearest import k_nearest
from ammg.kernels.pair_scores import Candidates

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DENSE_PAIRS = 2_000_000  # up to here all pairs are the fastest way
NEIGHBOURS = 20  # candidates a round


def assign_nearest(
    original: Floats,
    masked: Floats,
    *,
    kinds: Ints | None = None,
    limit: float = np.inf,
    workers: int | None = None,
    tick: Tick | None = None,
) -> Assignment:
    """Link masked records one to one with originals in a common space (see `nearest` for columns and distances).

    Records further apart than the distance `limit` are not linked: beyond it one wrong record is as wrong as another.
    """
    sides = len(masked), len(original)
    if not all(sides) or not original.shape[1]:
        return Assignment(np.full(len(masked), UNLINKED, dtype=np.int64), 0.0)
    columns = np.full(original.shape[1], SQUARED, dtype=np.int64) if kinds is None else kinds
    if sides[0] * sides[1] <= DENSE_PAIRS:
        distances = np.minimum(all_distances(original, masked, columns, workers=workers), limit)
        distances = np.minimum(distances, _diameter(original, masked, columns) + 1.0)  # no common column is infinity
        links = assign_all(-distances).links
        linked = (links >= 0) & (distances[np.arange(len(masked)), links] < limit)
        return Assignment(np.where(linked, links, UNLINKED), 0.0)

    def best(prices: Floats) -> Candidates:
        rows, distances = k_nearest(
            original, masked, min(NEIGHBOURS, len(original)), kinds=columns, prices=prices, workers=workers, tick=tick
        )
        return Candidates(rows, prices[rows] - distances)

    lowest = -min(limit, _diameter(original, masked, columns) + 1.0)
    return assign_by_prices(best, sides, lowest)


def all_distances(original: Floats, masked: Floats, kinds: Ints, *, workers: int | None = None) -> Floats:
    """The distances of all pairs, masked records in rows."""
    distances = np.empty((len(masked), len(original)))
    points, records = np.ascontiguousarray(original), np.ascontiguousarray(masked)

    def work(start: int, stop: int) -> None:
        _measure(points, records[start:stop], kinds, distances[start:stop])

    over_blocks(work, len(masked), block=256, workers=workers)
    return distances


def _diameter(original: Floats, masked: Floats, kinds: Ints) -> float:
    """No two records are further apart than this."""
    both = np.concatenate([original, masked])
    spread = np.nanmax(both, axis=0) - np.nanmin(both, axis=0)
    largest = np.where(kinds == SQUARED, spread**2, np.where(kinds == 1, spread, 1.0))
    return float(largest.max(initial=0.0) * len(kinds))


@jit
def _measure(original: Floats, masked: Floats, kinds: Ints, distances: Floats) -> None:
    for i in range(len(masked)):
        for j in range(len(original)):
            distances[i, j] = distance(masked[i], original[j], kinds, np.inf)
