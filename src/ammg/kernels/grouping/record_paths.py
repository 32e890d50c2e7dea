"""Paths through records that keep nearby ones together, to be cut by `ordered_partition`.

Domingo-Ferrer, Martínez-Ballesté, Mateo-Sanz and Sebé (2006): nearest point next, and paths through the groups of
another method.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.grouping.partitions import centroids
from ammg.kernels.grouping.removal_tree import RemovalTree, build_tree, find_nearest, remove
from ammg.kernels.jit import jit

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_FEW = 5_000  # below this, full scans take less than a second, and less than compiling the tree code


def nearest_point_next(data: Floats) -> Integers:
    """NPN order: from the record farthest from the mean, always to the nearest record not yet visited."""
    rows = np.require(data, np.float64, ["C", "W"])
    first = int(np.argmax(((rows - rows.mean(axis=0)) ** 2).sum(axis=1)))
    if len(rows) >= _FEW:
        return _visit_by_tree(rows, first)
    order = np.arange(len(rows))
    order[0], order[first] = first, 0
    _visit_by_scans(rows, order)
    return order


def path_through_groups(data: Floats, group: Integers) -> Integers:
    """Visit groups by nearest centroid, and the records of each group on the way from the previous to the next."""
    middle = centroids(data, group)
    route = nearest_point_next(middle)
    position = np.empty(len(route), dtype=np.int64)
    position[route] = np.arange(len(route))
    before, after = middle[route[np.maximum(position - 1, 0)]], middle[route[np.minimum(position + 1, len(route) - 1)]]
    along = (np.asarray(data) * (after - before)[group]).sum(axis=1)
    return np.lexsort((along, position[group]))


def _visit_by_tree(data: Floats, first: int) -> Integers:
    order = np.empty(len(data), np.int64)
    waiting = np.ones(len(data), np.bool_)
    order[0], visited = first, 0
    nearest, record = np.empty(1), np.empty(1, np.int64)
    while visited < len(data):  # once half of the slots are empty, a new tree is smaller and its boxes fit better
        waiting[order[:visited]] = False
        tree = build_tree(data, np.flatnonzero(waiting))
        visited = _visit_half(tree, data, order, visited, nearest, record)
    return order


@jit
def _visit_half(
    tree: RemovalTree, data: Floats, order: Integers, visited: int, nearest: Floats, record: Integers
) -> int:
    """Continue until half of the tree is visited; returns the number visited. The next record is already known."""
    n, planted = len(order), len(order) - visited
    while visited < n and 2 * (n - visited) >= planted:
        current = order[visited]
        remove(tree, current)
        visited += 1
        if visited < n:
            find_nearest(tree, data[current], nearest, record)
            order[visited] = record[0]
    return visited


@jit
def _visit_by_scans(data: Floats, order: Integers) -> None:
    """Sort `order`, whose first record is given, into nearest-point-next order; ties go to the lowest id."""
    n, d = data.shape
    for t in range(n - 1):
        current, place, best = order[t], t + 1, np.inf
        for i in range(t + 1, n):
            distance = 0.0
            for j in range(d):
                distance += (data[order[i], j] - data[current, j]) ** 2
            if distance < best or (distance == best and order[i] < order[place]):
                best, place = distance, i
        order[t + 1], order[place] = order[place], order[t + 1]
