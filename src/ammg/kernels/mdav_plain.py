"""MDAV by full scans: the reference for the fast kernel, and the faster one for few records."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit
from ammg.kernels.removal_tree import distance_of_row, insert_candidate

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@jit
def mdav_by_scans(data: Floats, k: int) -> Integers:
    """Group of each record, numbered in the order MDAV forms them, in time proportional to n²/k."""
    n, d = data.shape
    left = data.copy()  # the records that are left, without holes
    ids = np.arange(n)
    row = np.arange(n)  # of each record in `left`
    total, centroid = sum_rows(data), np.empty(d)
    group = np.full(n, -1, np.int64)
    distances = np.empty(n)
    size, label = n, 0
    while size >= 3 * k:
        divide(total, size, centroid)
        r = _farthest(left, ids, size, centroid, distances)
        _take(left, ids, row, size, r, k, group, label, total, distances)
        size -= k
        s = _farthest(left, ids, size, data[r], distances)
        _take(left, ids, row, size, s, k, group, label + 1, total, distances)
        size -= k
        label += 2
    if size >= 2 * k:
        divide(total, size, centroid)
        r = _farthest(left, ids, size, centroid, distances)
        _take(left, ids, row, size, r, k, group, label, total, distances)
        size -= k
        label += 1
    for i in range(size):
        group[ids[i]] = label
    return group


@jit
def sum_rows(data: Floats) -> Floats:
    """Sum of each column, in the order of the rows."""
    total = np.zeros(data.shape[1])
    for i in range(len(data)):
        for j in range(data.shape[1]):
            total[j] += data[i, j]
    return total


@jit
def divide(total: Floats, size: int, centroid: Floats) -> None:
    """Write total / size."""
    for j in range(len(total)):
        centroid[j] = total[j] / size


@jit
def _farthest(left: Floats, ids: Integers, size: int, point: Floats, distances: Floats) -> int:
    for i in range(size):
        distances[i] = distance_of_row(left, i, point)
    best = 0
    for i in range(1, size):
        if distances[i] > distances[best] or (distances[i] == distances[best] and ids[i] < ids[best]):
            best = i
    record: int = ids[best]
    return record


@jit
def _take(
    left: Floats,
    ids: Integers,
    row: Integers,
    size: int,
    seed: int,
    k: int,
    group: Integers,
    label: int,
    total: Floats,
    distances: Floats,
) -> None:
    """Move the record `seed` and its k-1 nearest into a group."""
    point = left[row[seed]].copy()
    for i in range(size):
        distances[i] = distance_of_row(left, i, point)
    distances[row[seed]] = -1.0  # the seed comes before records identical to it
    members = np.full(k, -1, np.int64)
    nearest = np.full(k, np.inf)
    for i in range(size):
        if distances[i] < nearest[k - 1] or (distances[i] == nearest[k - 1] and ids[i] < members[k - 1]):
            insert_candidate(nearest, members, distances[i], ids[i])
    for member in members:
        group[member] = label
        size -= 1
        hole = row[member]
        for j in range(left.shape[1]):
            total[j] -= left[hole, j]
            left[hole, j] = left[size, j]
        ids[hole] = ids[size]
        row[ids[size]] = hole
