"""A short list of nearby records for each record: exact for few records, nearly exact for many, in linear time.

Many records are cut by random hyperplanes into cells of some dozens, several times; a record's list holds the nearest
records of its cells (Dasgupta and Freund 2008).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.grouping.mixed_records import Records, dissimilarity, sketch
from ammg.kernels.grouping.removal_tree import split_at
from ammg.kernels.jit import jit, jit_part

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_FEW = 1_000  # up to this many records, all pairs are compared
_FEW_POINTS = 5_000  # up to this many numeric records, a tree finds the nearest
_CELL = 64
_CELLS = 64  # of one block
_CUTS = 6  # with cells of 64, this finds three of four nearest among 100,000 records of 6 attributes


def neighbour_lists(records: Records, length: int, rng: np.random.Generator) -> Integers:
    """Nearby records of each record, nearest first; -1 where a list is shorter."""
    n = len(records.values)
    length = max(min(length, n - 1), 1)
    if records.is_plain and 1 < n <= _FEW_POINTS:
        return _nearest(records.values, length)
    distances = np.full((n, length), np.inf)
    lists = np.full((n, length), -1, dtype=np.int64)
    if n <= _FEW:
        _compare_cells(records, np.arange(n), np.array([0, n]), distances, lists)
        return lists
    for _ in range(_CUTS):
        order, starts = cut_into_cells(sketch(records, rng), _CELL, rng)
        bounds = np.append(starts, n)

        def compare(first: int, last: int, order: Integers = order, bounds: Integers = bounds) -> None:
            _compare_cells(records, order, bounds[first : last + 1], distances, lists)

        over_blocks(compare, len(starts), block=_CELLS, brief=True)
    return lists


def _nearest(points: Floats, length: int) -> Integers:
    """The nearest other records of each."""
    from scipy.spatial import cKDTree

    found: Integers = np.asarray(cKDTree(points).query(points, length + 1)[1], dtype=np.int64)
    itself = found == np.arange(len(points))[:, None]
    itself[~itself.any(axis=1), -1] = True  # with many equal records, a record may be missing among its own nearest
    others: Integers = found[~itself].reshape(len(points), length)
    return others


def cut_into_cells(points: Floats, most: int, rng: np.random.Generator) -> tuple[Integers, Integers]:
    """Records in the order of cells of at most `most` nearby ones, and where the cells start."""
    order = np.arange(len(points))
    starts = np.array([0, len(points)], dtype=np.int64)
    while np.diff(starts).max(initial=0) > most:
        halves = np.append(np.repeat(starts[:-1], 2), starts[-1])
        _halve(points, rng.normal(size=(points.shape[1],)), order, halves, np.zeros((len(points), 1)))
        starts = halves
    return order, starts[:-1]


@jit
def _halve(points: Floats, direction: Floats, order: Integers, starts: Integers, keys: Floats) -> None:
    """Cut every cell at its median along a direction; `starts` has each start twice and then the end."""
    n, d = points.shape
    for i in range(n):
        for j in range(d):
            keys[i, 0] += points[i, j] * direction[j]
    for c in range(0, len(starts) - 1, 2):
        middle = (starts[c] + starts[c + 2]) // 2
        split_at(keys, order, starts[c], starts[c + 2], middle, np.int64(0))
        starts[c + 1] = middle


@jit
def _compare_cells(records: Records, order: Integers, bounds: Integers, distances: Floats, lists: Integers) -> None:
    for c in range(len(bounds) - 1):
        for s in range(bounds[c], bounds[c + 1]):
            for t in range(bounds[c], s):
                distance = dissimilarity(records, order[s], order[t])
                _enter(distances, lists, order[s], order[t], distance)
                _enter(distances, lists, order[t], order[s], distance)


@jit_part
def _enter(distances: Floats, lists: Integers, i: int, j: int, distance: float) -> None:
    """Insert j into the sorted list of i, unless it is already there or too far away."""
    last = lists.shape[1] - 1
    if distance >= distances[i, last]:
        return
    for t in range(last + 1):
        if lists[i, t] == j:
            return
    place = last
    while place > 0 and distances[i, place - 1] > distance:
        distances[i, place] = distances[i, place - 1]
        lists[i, place] = lists[i, place - 1]
        place -= 1
    distances[i, place] = distance
    lists[i, place] = j
