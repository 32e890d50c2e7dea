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

from ammg.kernels.blocks import rows_of
from ammg.kernels.jit import jit, jit_part
from ammg.kernels.threads import WORTH_A_THREAD, in_threads

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]

SQUARED, ABSOLUTE, MISMATCH = 0, 1, 2
LEAF = 16
_CODES = 1e100  # columns of codes are split first, those with few codes before others, unless codes are rare


class KdTree(NamedTuple):
    """Points in tree order, and the nodes of a binary tree over them; node 0 is the root."""

    points: Floats  # n × m, in tree order
    rows: Ints  # the row of each point in the given array
    counts: Ints  # number of records at each point
    kinds: Ints  # SQUARED, ABSOLUTE or MISMATCH for each column
    weights: Floats  # what a mismatch costs in each column
    first: Ints  # each node spans the points from first to last
    last: Ints
    left: Ints  # the children of each node, 0 for a leaf
    right: Ints
    low: Floats  # the box of each node; ±inf in columns where a point is missing
    high: Floats
    depth: int
    gaps_first: bool = False  # then NaN in columns where all points of a node are missing


def build(points: Floats, counts: Ints, kinds: Ints, weights: Floats, *, gaps_first: bool = False) -> KdTree:
    """Arrange distinct `points`, each standing for `counts` records, in a tree.

    Numbers are split at the median, codes between two codes: a node with one code is skipped by all who have another.
    The box of a node has no bounds in columns that any of its points lacks. With `gaps_first`, points that lack a
    column are therefore separated from the others before anything else; points equally far away then come in another
    order.
    """
    points = np.ascontiguousarray(points, dtype=np.float64)
    n, m = points.shape
    order, keys = np.arange(n, dtype=np.int64), np.empty(n)

    def grown(begin: int, end: int, levels: int = n) -> tuple[_Nodes, int]:
        for capacity in ((end - begin) // 2 + 64, 2 * (end - begin) + 1):
            nodes = _Nodes(*np.zeros((4, capacity), dtype=np.int64), *np.empty((2, capacity, m)))
            room = np.empty((2, m)), np.empty((end - begin + 2, 2), dtype=np.int64)
            used, depth = _grow(points, order, keys, begin, end, levels, kinds, weights, gaps_first, nodes, *room)
            if used:
                break
        return nodes.up_to(used), depth

    if points.size < WORTH_A_THREAD or n <= LEAF:
        nodes, depth = grown(0, n)
    else:
        root, _ = grown(0, n, 1)
        parts = in_threads(lambda child: grown(root.first[child], root.last[child]), (1, 2), points.size)
        nodes, depth = _joined(root, *(part for part, _ in parts)), 1 + max(below for _, below in parts)
    return KdTree(rows_of(points, order), order, counts[order], kinds, weights, *nodes, depth, gaps_first)


def are_plain(kinds: Ints, *points: Floats) -> bool:
    """Whether distances of these points are sums of squares without exceptions, which take far less time."""
    return bool(np.all(kinds == SQUARED)) and all(bool(np.isfinite(some).all()) for some in points)


def stack_of(tree: KdTree) -> tuple[Ints, Floats]:
    """Room for the nodes that a search has yet to visit, and for bounds of their distances."""
    return np.empty(tree.depth + 2, dtype=np.int64), np.empty(tree.depth + 2)


class _Nodes(NamedTuple):
    first: Ints
    last: Ints
    left: Ints
    right: Ints
    low: Floats
    high: Floats

    def up_to(self, used: int) -> _Nodes:
        """The first nodes."""
        first, last, left, right, low, high = self
        return _Nodes(first[:used], last[:used], left[:used], right[:used], low[:used], high[:used])


def _joined(root: _Nodes, left: _Nodes, right: _Nodes) -> _Nodes:
    """One tree from a root and two trees below it."""
    root.right[0] = 1 + len(left.first)
    parts = [root.up_to(1), *(_moved(part, at) for part, at in ((left, 1), (right, 1 + len(left.first))))]
    return _Nodes(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _moved(nodes: _Nodes, by: int) -> _Nodes:
    """The nodes with the numbers that they have behind `by` others."""
    inner = nodes.right > 0
    return nodes._replace(left=nodes.left + by * inner, right=nodes.right + by * inner)


@jit_part
def distance(point: Floats, points: Floats, row: int, kinds: Ints, weights: Floats, limit: float) -> float:
    """The distance of a point from a row of points, or any number above `limit` as soon as it is known to exceed it."""
    total = 0.0
    missing = 0
    for j in range(len(point)):
        gap = point[j] - points[row, j]
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
    if missing == len(point):
        return np.inf
    return total * len(point) / (len(point) - missing)


@jit_part
def squared_distance(point: Floats, points: Floats, row: int) -> float:
    """The distance of a plain point from a row of plain points (see `are_plain`): the bits are those of `distance`."""
    total = 0.0
    for j in range(len(point)):
        gap = point[j] - points[row, j]
        total += gap * gap
    return total


@jit_part
def squared_distance_to_box(point: Floats, low: Floats, high: Floats, node: int) -> float:
    """The bound of `distance_to_box` for plain points."""
    total = 0.0
    for j in range(len(point)):
        gap = max(low[node, j] - point[j], point[j] - high[node, j], 0.0)
        total += gap * gap
    return total


@jit_part
def distance_to_box(
    point: Floats, low: Floats, high: Floats, node: int, kinds: Ints, weights: Floats, gaps_first: bool
) -> float:
    """A lower bound of the distance from a point to any point in the box of a node of a tree, built `gaps_first`."""
    total, missing = 0.0, 0
    for j in range(len(point)):
        gap = 0.0
        if gaps_first and (point[j] != point[j] or low[node, j] != low[node, j]):
            missing += 1
        if point[j] < low[node, j]:
            gap = low[node, j] - point[j]
        elif point[j] > high[node, j]:
            gap = point[j] - high[node, j]
        if gap > 0.0:
            if kinds[j] == 0:
                total += gap * gap
            elif kinds[j] == 1:
                total += gap
            else:
                total += weights[j]
    if missing == 0:
        return total
    return np.inf if missing == len(point) else total * len(point) / (len(point) - missing)


@jit_part
def distance_to_farthest(
    point: Floats, low: Floats, high: Floats, node: int, kinds: Ints, weights: Floats, gaps_first: bool
) -> float:
    """An upper bound of the distance from a point to any point in the box of a node; infinite if some lack values."""
    total, missing = 0.0, 0
    for j in range(len(point)):
        if point[j] != point[j] or low[node, j] != low[node, j]:
            missing += 1
            continue
        gap = max(abs(point[j] - low[node, j]), abs(high[node, j] - point[j]))
        if kinds[j] == 0:
            total += gap * gap
        elif kinds[j] == 1 or gap == np.inf:
            total += gap
        elif gap > 0.0:
            total += weights[j]
    if missing == 0:
        return total
    if not gaps_first or missing == len(point):
        return np.inf
    return total * len(point) / (len(point) - missing)


@jit
def _grow(
    points: Floats,
    order: Ints,
    keys: Floats,
    begin: int,
    end: int,
    levels: int,
    kinds: Ints,
    weights: Floats,
    gaps_first: bool,
    nodes: _Nodes,
    room: Floats,
    stack: Ints,
) -> tuple[int, int]:
    """Permute `order` from `begin` to `end` so that every node spans a run of it, and write the nodes.

    Returns their number, 0 if there is no room for them, and the depth of the tree, at most `levels`. `stack` is
    working memory for the nodes still to be split, and their depth.
    """
    nodes.first[0], nodes.last[0] = begin, end
    stack[0, 0], stack[0, 1] = 0, 0
    used, waiting, deepest = 1, 1, 0
    while waiting > 0:
        waiting -= 1
        node, depth = stack[waiting, 0], stack[waiting, 1]
        start, stop = nodes.first[node], nodes.last[node]
        column = _enclose(points, order, start, stop, kinds, weights, gaps_first, nodes.low, nodes.high, node, room)
        deepest = max(deepest, depth)
        if stop - start <= LEAF or depth == levels:
            continue
        if used + 2 > len(nodes.first):
            return 0, 0
        middle = _split_gaps(points, order, keys, start, stop, nodes.low, node, room) if gaps_first else start
        if middle == start:
            middle = _split(points, order, keys, start, stop, column, kinds)
        nodes.left[node], nodes.right[node] = used, used + 1
        nodes.first[used], nodes.last[used] = start, middle
        nodes.first[used + 1], nodes.last[used + 1] = middle, stop
        for child in range(2):
            stack[waiting, 0], stack[waiting, 1] = used + child, depth + 1
            waiting += 1
        used += 2
    return used, deepest


@jit_part
def _enclose(
    points: Floats,
    order: Ints,
    start: int,
    stop: int,
    kinds: Ints,
    weights: Floats,
    gaps_first: bool,
    low: Floats,
    high: Floats,
    node: int,
    room: Floats,
) -> int:
    """Write the box of a node and return the column to split it by, -1 if its points differ in none."""
    least, most = room[0], room[1]
    for j in range(len(least)):
        least[j], most[j], low[node, j] = np.inf, -np.inf, np.inf
    for i in range(start, stop):
        for j in range(len(least)):
            value = points[order[i], j]
            if value != value:
                low[node, j] = -np.inf
            else:
                least[j] = min(least[j], value)
                most[j] = max(most[j], value)
    widest, column = 0.0, -1
    for j in range(len(least)):
        spread = most[j] - least[j]
        if kinds[j] == 2 and spread > 0.0:
            few = LEAF * (1.0 + spread) <= stop - start
            spread = _CODES * weights[j] / (1.0 + spread) if few else weights[j]
        if spread > widest:
            widest, column = spread, j
        has_gaps = low[node, j] == -np.inf
        low[node, j] = -np.inf if has_gaps else least[j]
        high[node, j] = np.inf if has_gaps else most[j]
        if has_gaps and gaps_first and least[j] > most[j]:
            low[node, j] = high[node, j] = np.nan
    return column


@jit_part
def _split_gaps(
    points: Floats, order: Ints, keys: Floats, start: int, stop: int, low: Floats, node: int, room: Floats
) -> int:
    """Bring the points that lack a column to the front, for the first column that some lack and others do not.

    Returns where the others begin, `start` if there is no such column. `room` has the extremes of the columns.
    """
    for j in range(low.shape[1]):
        if low[node, j] == -np.inf:
            for i in range(start, stop):
                keys[i] = 1.0 if points[order[i], j] == points[order[i], j] else 0.0
            front = _bring_forward(keys, order, start, stop, np.float64(0.0), np.bool_(True))
            if front > start:
                return front
    return start


@jit_part
def _split(points: Floats, order: Ints, keys: Floats, start: int, stop: int, column: int, kinds: Ints) -> int:
    """Sort a run into smaller and larger values of a column, missing ones lowest; returns the start of the larger."""
    middle = (start + stop) // 2
    if column < 0:
        return middle
    for i in range(start, stop):
        value = points[order[i], column]
        keys[i] = -np.inf if value != value else value
    _select(keys, order, start, stop - 1, middle)
    if kinds[column] != 2:
        return middle
    code = keys[middle]
    below = _bring_forward(keys, order, start, middle, code, np.bool_(False))
    beyond = _bring_forward(keys, order, middle, stop, code, np.bool_(True))
    if below == start or (beyond < stop and beyond - middle < middle - below):
        return beyond
    return below


@jit_part
def _bring_forward(keys: Floats, order: Ints, start: int, stop: int, code: float, equal: np.bool_) -> int:
    """Move keys that are, or are not, equal to a code to the front of a run; returns where the others begin."""
    front = start
    for i in range(start, stop):
        if (keys[i] == code) == equal:
            keys[i], keys[front] = keys[front], keys[i]
            order[i], order[front] = order[front], order[i]
            front += 1
    return front


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
