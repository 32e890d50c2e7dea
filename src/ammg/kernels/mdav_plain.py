"""MDAV by full scans: the reference for the fast kernel, and the faster one for few records."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit, jit_part
from ammg.kernels.removal_tree import distance_of_row, insert_candidate

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def mdav_by_scans(data: Floats, k: int) -> Integers:
    """Group of each record, numbered in the order MDAV forms them, in time proportional to n²/k."""
    n, d = data.shape
    group = np.full(n, -1, np.int64)
    total = np.zeros(d)
    sum_rows(data, total)
    rows = np.arange(n)
    _scan(data.copy(), rows, rows.copy(), k, group, total, np.empty(d), np.empty(n), np.empty(k), np.empty(k, np.int64))
    return group


@jit
def _scan(
    left: Floats,  # the records that are left, without holes
    ids: Integers,  # their numbers
    row: Integers,  # of each record in `left`
    k: int,
    group: Integers,
    total: Floats,
    point: Floats,
    distances: Floats,
    nearest: Floats,
    members: Integers,
) -> None:
    size, label = len(ids), 0
    while size >= 2 * k:
        both = size >= 3 * k
        divide(total, size, point)
        seed = _farthest(left, ids, size, point, distances)
        _take(left, ids, row, size, seed, group, label, total, point, distances, nearest, members)
        size -= k
        label += 1
        if both:  # `point` is still the record farthest from the centroid
            seed = _farthest(left, ids, size, point, distances)
            _take(left, ids, row, size, seed, group, label, total, point, distances, nearest, members)
            size -= k
            label += 1
    for i in range(size):
        group[ids[i]] = label


@jit
def sum_rows(data: Floats, total: Floats) -> None:
    """Add the rows to `total`, one after the other."""
    for i in range(data.shape[0]):
        for j in range(data.shape[1]):
            total[j] += data[i, j]


@jit_part
def divide(total: Floats, size: int, centroid: Floats) -> None:
    """Write total / size."""
    for j in range(len(total)):
        centroid[j] = total[j] / size


@jit_part
def _farthest(left: Floats, ids: Integers, size: int, point: Floats, distances: Floats) -> int:
    _measure(left, size, point, distances)
    best = 0
    for i in range(1, size):
        if distances[i] > distances[best] or (distances[i] == distances[best] and ids[i] < ids[best]):
            best = i
    record: int = ids[best]
    return record


@jit_part
def _take(
    left: Floats,
    ids: Integers,
    row: Integers,
    size: int,
    seed: int,
    group: Integers,
    label: int,
    total: Floats,
    point: Floats,
    distances: Floats,
    nearest: Floats,
    members: Integers,
) -> None:
    """Move the record `seed` and its k-1 nearest into a group; its coordinates stay in `point`."""
    k = len(members)
    for j in range(len(point)):
        point[j] = left[row[seed], j]
    _measure(left, size, point, distances)
    distances[row[seed]] = -1.0  # the seed comes before records identical to it
    for m in range(k):
        nearest[m], members[m] = np.inf, -1
    for i in range(size):
        if distances[i] < nearest[k - 1] or (distances[i] == nearest[k - 1] and ids[i] < members[k - 1]):
            insert_candidate(nearest, members, distances[i], ids[i])
    for m in range(k):
        group[members[m]] = label
        size -= 1
        hole = row[members[m]]
        for j in range(len(point)):
            total[j] -= left[hole, j]
            left[hole, j] = left[size, j]
        ids[hole] = ids[size]
        row[ids[size]] = hole


@jit_part
def _measure(left: Floats, size: int, point: Floats, distances: Floats) -> None:
    for i in range(size):
        distances[i] = distance_of_row(left, i, point)
