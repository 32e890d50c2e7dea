"""A balanced k-d tree with tight boxes for sums of per-column distances, in compiled code.

The distance of two points is a sum over columns of a squared difference, an absolute difference or the weight of a
mismatch of codes. Columns missing (NaN) in either point are left out and the sum is scaled by columns / columns
observed; points without a common column are infinitely far apart. Boxes are tight, so data with many zeros are pruned
well; exact duplicates should be merged first (see `nearest`).
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ammg.kernels.columns import in_threads
from ammg.kernels.jit import jit, jit_part

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]

SQUARED, ABSOLUTE, MISMATCH = 0, 1, 2
LEAF = 16


class KdTree(NamedTuple):
    """Points in tree order, and a complete binary tree over them in heap order."""

    points: Floats  # n × m, in tree order
    rows: Ints  # the row of each point in the given array
    counts: Ints  # number of records at each point
    kinds: Ints  # SQUARED, ABSOLUTE or MISMATCH for each column
    weights: Floats  # what a mismatch costs in each column
    first: Ints  # points first[k]..first[k + 1] of node k's span, in heap order
    last: Ints
    low: Floats  # the box of each node; ±inf in columns where a point is missing
    high: Floats


def build(points: Floats, counts: Ints, kinds: Ints, weights: Floats) -> KdTree:
    """Arrange distinct `points`, each standing for `counts` records, in a balanced tree."""
    points = np.ascontiguousarray(points, dtype=np.float64)
    depth = 0
    while len(points) > LEAF << depth:
        depth += 1
    nodes = (1 << (depth + 1)) - 1
    order = np.arange(len(points), dtype=np.int64)
    first, last = np.zeros((2, nodes), dtype=np.int64)
    low, high = np.empty((2, nodes, points.shape[1]))
    last[0] = len(points)
    keys = np.empty(len(points))

    def arrange(root: int, levels: int) -> None:
        room = np.empty((2, points.shape[1]))
        _arrange(points, order, keys, root, levels, kinds, weights, first, last, low, high, room)

    arrange(0, 1)
    in_threads(lambda root: arrange(root, depth), (1, 2) if depth else (), points.size)
    return KdTree(points[order], order, counts[order], kinds, weights, first, last, low, high)


@jit_part
def distance(a: Floats, b: Floats, kinds: Ints, weights: Floats, limit: float) -> float:
    """The distance of two points, or any number above `limit` as soon as the distance is known to exceed it."""
    total = 0.0
    missing = 0
    for j in range(len(a)):
        gap = a[j] - b[j]
        if gap != gap:
            missing += 1
        elif kinds[j] == 0:
            total += gap * gap
        elif kinds[j] == 1:
            total += abs(gap)
        elif gap != 0.0:
            total += weights[j]
        if total > limit:
            return total
    if missing == 0:
        return total
    if missing == len(a):
        return np.inf
    return total * len(a) / (len(a) - missing)


@jit_part
def distance_to_box(point: Floats, low: Floats, high: Floats, kinds: Ints, weights: Floats) -> float:
    """A lower bound of the distance from a point to any point in a box."""
    total = 0.0
    for j in range(len(point)):
        gap = 0.0
        if point[j] < low[j]:
            gap = low[j] - point[j]
        elif point[j] > high[j]:
            gap = point[j] - high[j]
        if gap > 0.0:
            if kinds[j] == 0:
                total += gap * gap
            elif kinds[j] == 1:
                total += gap
            else:
                total += weights[j]
    return total


@jit_part
def distance_to_farthest(point: Floats, low: Floats, high: Floats, kinds: Ints, weights: Floats) -> float:
    """An upper bound of the distance from a point to any point in a box; infinite if values are missing."""
    total = 0.0
    for j in range(len(point)):
        if point[j] != point[j]:
            return np.inf
        gap = max(abs(point[j] - low[j]), abs(high[j] - point[j]))
        if kinds[j] == 0:
            total += gap * gap
        elif kinds[j] == 1 or gap == np.inf:
            total += gap
        elif gap > 0.0:
            total += weights[j]
    return total


@jit
def _arrange(
    points: Floats,
    order: Ints,
    keys: Floats,
    root: int,
    levels: int,
    kinds: Ints,
    weights: Floats,
    first: Ints,
    last: Ints,
    low: Floats,
    high: Floats,
    room: Floats,
) -> None:
    """Permute `order` so that every node below a root, for `levels` levels, spans a run; write runs and boxes."""
    for level in range(levels):
        for node in range(((root + 1) << level) - 1, ((root + 2) << level) - 1):
            start, stop = first[node], last[node]
            column = _enclose(points, order[start:stop], kinds, weights, low[node], high[node], room[0], room[1])
            if 2 * node + 2 < len(first):
                middle = (start + stop) // 2
                for i in range(start, stop):
                    value = points[order[i], column]
                    keys[i] = -np.inf if value != value else value
                _select(keys, order, start, stop - 1, middle)
                first[2 * node + 1], last[2 * node + 1] = start, middle
                first[2 * node + 2], last[2 * node + 2] = middle, stop


@jit_part
def _enclose(
    points: Floats, rows: Ints, kinds: Ints, weights: Floats, low: Floats, high: Floats, least: Floats, most: Floats
) -> int:
    """Write the box of some points and return the column in which they differ most."""
    for j in range(len(low)):
        least[j], most[j], low[j] = np.inf, -np.inf, np.inf
    for row in rows:
        for j in range(len(low)):
            value = points[row, j]
            if value != value:
                low[j] = -np.inf
            else:
                least[j] = min(least[j], value)
                most[j] = max(most[j], value)
    widest, column = -1.0, 0
    for j in range(len(low)):
        spread = most[j] - least[j]
        if kinds[j] == 2 and spread > 0.0:
            spread = weights[j]
        if spread > widest:
            widest, column = spread, j
        has_gaps = low[j] == -np.inf
        low[j], high[j] = (-np.inf, np.inf) if has_gaps else (least[j], most[j])
    return column


@jit_part
def _select(keys: Floats, order: Ints, left: int, right: int, k: int) -> None:
    """Quickselect: move the k-th smallest key to place k, smaller ones before it; `order` is permuted alike."""
    while left < right:
        pivot = keys[(left + right) // 2]
        i, j = left, right
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if k <= j:
            right = j
        elif k >= i:
            left = i
        else:
            return
