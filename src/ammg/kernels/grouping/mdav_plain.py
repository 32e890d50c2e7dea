"""MDAV by full scans: the reference for the fast kernel, and the faster one for few records."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.grouping.removal_tree import distance_of_row, insert_candidate
from ammg.kernels.jit import ZERO, jit, jit_part

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class _Left(NamedTuple):
    """The remaining records, the groups of the others, and working memory."""

    records: Floats  # without holes
    ids: Integers  # their numbers
    row: Integers  # row of each record in `records`
    total: Floats  # their sum
    group: Integers
    point: Floats
    distances: Floats
    nearest: Floats
    members: Integers


def mdav_by_scans(data: Floats, k: int) -> Integers:
    """Group of each record, numbered in the order MDAV forms them, in time proportional to n²/k."""
    n, d = data.shape
    group = np.full(n, -1, np.int64)
    total = np.zeros(d)
    sum_rows(data, total)
    room = np.empty(d), np.empty(n), np.empty(k), np.empty(k, np.int64)
    _scan(_Left(data.copy(), np.arange(n), np.arange(n), total, group, *room))
    return group


@jit
def _scan(left: _Left) -> None:
    k, size, label = len(left.members), len(left.ids), ZERO
    while size >= 2 * k:
        both = size >= 3 * k
        divide(left.total, size, left.point)
        _take(left, size, _farthest(left, size), label)
        size -= k
        label += 1
        if both:  # `point` is still the record farthest from the centroid
            _take(left, size, _farthest(left, size), label)
            size -= k
            label += 1
    for i in range(size):
        left.group[left.ids[i]] = label


@jit
def sum_rows(data: Floats, total: Floats) -> None:
    """Add the rows to `total` one by one."""
    for i in range(data.shape[0]):
        for j in range(data.shape[1]):
            total[j] += data[i, j]


@jit_part
def divide(total: Floats, size: int, centroid: Floats) -> None:
    """Write total / size."""
    for j in range(len(total)):
        centroid[j] = total[j] / size


@jit_part
def _farthest(left: _Left, size: int) -> int:
    """The record farthest from `point`."""
    _measure(left, size)
    ids, distances = left.ids, left.distances
    best = 0
    for i in range(1, size):
        if distances[i] > distances[best] or (distances[i] == distances[best] and ids[i] < ids[best]):
            best = i
    record: int = ids[best]
    return record


@jit_part
def _take(left: _Left, size: int, seed: int, label: int) -> None:
    """Move the record `seed` and its k-1 nearest into a group; `point` keeps its coordinates."""
    ids, row, point = left.ids, left.row, left.point
    distances, nearest, members = left.distances, left.nearest, left.members
    k = len(members)
    for j in range(len(point)):
        point[j] = left.records[row[seed], j]
    _measure(left, size)
    distances[row[seed]] = -1.0  # the seed comes before identical records
    for m in range(k):
        nearest[m], members[m] = np.inf, -1
    for i in range(size):
        if distances[i] < nearest[k - 1] or (distances[i] == nearest[k - 1] and ids[i] < members[k - 1]):
            insert_candidate(nearest, members, distances[i], ids[i])
    for m in range(k):
        left.group[members[m]] = label
        size -= 1
        hole = row[members[m]]
        for j in range(len(point)):
            left.total[j] -= left.records[hole, j]
            left.records[hole, j] = left.records[size, j]
        ids[hole] = ids[size]
        row[ids[size]] = hole


@jit_part
def _measure(left: _Left, size: int) -> None:
    """Write the distance of each record from `point`."""
    records, point, distances = left.records, left.point, left.distances
    for i in range(size):
        distances[i] = distance_of_row(records, i, point)
