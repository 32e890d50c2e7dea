"""Lines through records in which near ones stand together, for `ordered_partition` to cut.

Domingo-Ferrer, Martínez-Ballesté, Mateo-Sanz and Sebé (2006): nearest point next, and paths through the groups of
another method.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit
from ammg.kernels.partitions import centroids
from ammg.kernels.removal_tree import build_tree, find_nearest, remove

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def nearest_point_next(data: Floats) -> Integers:
    """NPN order: from the record farthest from the mean, always on to the nearest record not visited."""
    rows = np.ascontiguousarray(data, dtype=np.float64)
    first = int(np.argmax(((rows - rows.mean(axis=0)) ** 2).sum(axis=1)))
    return _nearest_point_next(rows, first)


def path_through_groups(data: Floats, group: Integers) -> Integers:
    """Order that visits groups by nearest centroid next, the records of each on the way from the last to the next."""
    middle = centroids(data, group)
    route = nearest_point_next(middle)
    position = np.empty(len(route), dtype=np.int64)
    position[route] = np.arange(len(route))
    before, after = middle[route[np.maximum(position - 1, 0)]], middle[route[np.minimum(position + 1, len(route) - 1)]]
    along = (np.asarray(data) * (after - before)[group]).sum(axis=1)
    return np.lexsort((along, position[group]))


@jit
def _nearest_point_next(data: Floats, first: int) -> Integers:
    n = len(data)
    order = np.empty(n, np.int64)
    tree = build_tree(data, np.arange(n))
    nearest, record = np.empty(1), np.empty(1, np.int64)
    planted, current = n, first
    for t in range(n):
        order[t] = current
        remove(tree, current)
        left = n - t - 1
        if 2 * left < planted and left > 0:
            tree = build_tree(data, _without(n, order, t + 1))
            planted = left
        find_nearest(tree, data[current], nearest, record)
        current = record[0]
    return order


@jit
def _without(n: int, order: Integers, visited: int) -> Integers:
    """The records that are not among the first `visited` of an order; loops, because they compile quickly."""
    waiting = np.ones(n, np.bool_)
    for t in range(visited):
        waiting[order[t]] = False
    left = np.empty(n - visited, np.int64)
    count = 0
    for i in range(n):
        if waiting[i]:
            left[count] = i
            count += 1
    return left
