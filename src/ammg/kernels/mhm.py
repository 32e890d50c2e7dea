"""MHM: the best partition of records that stand in an order, and orders in which near records stand together.

Domingo-Ferrer, Martínez-Ballesté, Mateo-Sanz and Sebé (2006), multivariate Hansen-Mukherjee: groups of k to 2k-1
consecutive records with the least sum of squares in all attributes, by a shortest path.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit
from ammg.kernels.partitions import centroids
from ammg.kernels.removal_tree import build_tree, find_nearest, remove

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def mhm_groups(data: Floats, order: Integers, k: int) -> Integers:
    """Group of each record: the best partition of the order into groups of k to 2k-1 consecutive records."""
    n = len(order)
    if not 1 <= k <= n:
        raise ValueError(f"{n} records cannot form a group of {k}: choose k from 1 to {n}.")
    group = np.zeros(n, dtype=np.int64)
    if n >= 2 * k:
        group[order] = _shortest_path(np.ascontiguousarray(data, dtype=np.float64), order, k)
    return group


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
def _shortest_path(data: Floats, order: Integers, k: int) -> Integers:
    """Number of the group of each position.

    The last group of the first j records grows backwards one record at a time; its sum of squares grows by
    m/(m+1) times the squared distance of the new record from the mean of the m in it.
    """
    n, d = data.shape
    cost = np.full(n + 1, np.inf)
    cost[0] = 0.0
    start_of_last = np.zeros(n + 1, np.int64)
    mean = np.empty(d)
    for j in range(k, n + 1):
        squares = 0.0
        for size in range(1, min(2 * k - 1, j) + 1):
            record = order[j - size]
            away = 0.0
            for c in range(d):
                gap = data[record, c] - (mean[c] if size > 1 else data[record, c])
                away += gap * gap
                mean[c] = mean[c] + gap / size if size > 1 else data[record, c]
            squares += away * (size - 1) / size
            if size >= k and cost[j - size] + squares < cost[j]:
                cost[j] = cost[j - size] + squares
                start_of_last[j] = j - size
    label = np.zeros(n, np.int64)
    end, groups = n, 0
    while end > 0:
        label[start_of_last[end] : end] = groups
        end = start_of_last[end]
        groups += 1
    for t in range(n):
        label[t] = groups - 1 - label[t]
    return label


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
            waiting = np.ones(n, np.bool_)
            waiting[order[: t + 1]] = False
            tree = build_tree(data, np.flatnonzero(waiting))
            planted = left
        find_nearest(tree, data[current], nearest, record)
        current = record[0]
    return order
