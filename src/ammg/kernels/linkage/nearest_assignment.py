"""One-to-one links with the least sum of distances: each masked record gets its own original."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.jit import jit
from ammg.kernels.kd_tree import ABSOLUTE, SQUARED, distance
from ammg.kernels.linkage.assignment import UNLINKED, Assignment, assign_all, assign_by_prices
from ammg.kernels.linkage.nearest import k_nearest
from ammg.kernels.linkage.pair_scores import Candidates

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DENSE_PAIRS = 2_000_000  # up to this many, solving on all pairs is fastest
NEIGHBOURS = 20  # candidates per round


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
    """The distances of all pairs, masked records in rows."""
    distances = np.empty((len(masked), len(original)))
    points, records = np.ascontiguousarray(original), np.ascontiguousarray(masked)

    def work(start: int, stop: int) -> None:
        _measure(points, records[start:stop], kinds, weights, distances[start:stop])

    over_blocks(work, len(masked), block=256)
    return distances


def _diameter(original: Floats, masked: Floats, kinds: Ints, weights: Floats) -> float:
    """An upper bound of the distance between any two records."""
    both = np.concatenate([original, masked])
    spread = np.where(np.isnan(both), -np.inf, both).max(axis=0) - np.where(np.isnan(both), np.inf, both).min(axis=0)
    spread = np.maximum(spread, 0.0)  # -inf where all is missing
    largest = np.select([kinds == SQUARED, kinds == ABSOLUTE], [spread**2, spread], weights)
    return float(largest.max(initial=0.0) * len(kinds))  # scaling for missing columns cannot exceed this


@jit
def _measure(original: Floats, masked: Floats, kinds: Ints, weights: Floats, distances: Floats) -> None:
    for i in range(len(masked)):
        for j in range(len(original)):
            distances[i, j] = distance(masked[i], original[j], kinds, weights, np.inf)
