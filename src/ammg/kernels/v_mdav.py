"""V-MDAV: MDAV whose groups take in further records that are closer to the group than to anything else.

Solanas and Martínez-Ballesté (2006). Seeds are the records farthest from the centroid of the whole file, computed once.
After k records a group looks at the nearest record e outside, at distance d_in from its nearest member, and takes it if
d_in < gamma · d_out, d_out being the distance from e to the nearest other record outside; it stops at 2k-1 records.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit
from ammg.kernels.mdav import checked_rows
from ammg.kernels.removal_tree import RemovalTree, build_tree, find_nearest, remove

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def v_mdav_groups(data: Floats, k: int, gamma: float = 0.2) -> Integers:
    """Group of each record, numbered in the order they are formed; all have k to 2k-1 records.

    The fewer than k records left at the end join the nearest centroid whose group has room.
    """
    rows = checked_rows(data, k)
    squares = ((rows - rows.mean(axis=0)) ** 2).sum(axis=1)
    return _v_mdav(rows, k, gamma, np.argsort(-squares, kind="stable"))


@jit
def _v_mdav(data: Floats, k: int, gamma: float, outermost_first: Integers) -> Integers:
    n = len(data)
    tree = build_tree(data, np.arange(n))
    group = np.full(n, -1, np.int64)
    members = np.empty(2 * k, np.int64)
    nearest, found = np.empty(k), np.empty(k, np.int64)
    left, label = n, 0
    for seed in outermost_first:
        if group[seed] >= 0 or left < k:
            continue
        remove(tree, seed)
        members[0] = seed
        if k > 1:
            find_nearest(tree, data[seed], nearest[1:], found[1:])
            for m in range(1, k):
                remove(tree, found[m])
                members[m] = found[m]
        left -= k
        # NOTE: a group is not extended when fewer than k would be left: those then always find room.
        size = k + _extend(tree, data, members, k, gamma, min(k - 1, left - k))
        left -= size - k
        for m in range(size):
            group[members[m]] = label
        label += 1
    _house_the_rest(data, group, label, k)
    return group


@jit
def _extend(tree: RemovalTree, data: Floats, members: Integers, k: int, gamma: float, most: int) -> int:
    """Add up to `most` records to the k members; the number added."""
    nearest, record = np.empty(1), np.empty(1, np.int64)
    two_nearest, two = np.empty(2), np.empty(2, np.int64)  # one of them is the record itself
    added = 0
    while added < most:
        inside, closest = np.inf, -1
        for m in range(k + added):
            find_nearest(tree, data[members[m]], nearest, record)
            if nearest[0] < inside or (nearest[0] == inside and record[0] < closest):
                inside, closest = nearest[0], record[0]
        find_nearest(tree, data[closest], two_nearest, two)
        outside = two_nearest[1] if two[0] == closest else two_nearest[0]
        if np.sqrt(inside) >= gamma * np.sqrt(outside):
            break
        remove(tree, closest)
        members[k + added] = closest
        added += 1
    return added


@jit
def _house_the_rest(data: Floats, group: Integers, groups: int, k: int) -> None:
    """Put each record without a group into the one with the nearest centroid among those below 2k-1 records."""
    n, d = data.shape
    size = np.zeros(groups)
    total = np.zeros((groups, d))
    for i in range(n):
        if group[i] >= 0:
            size[group[i]] += 1.0
            for j in range(d):
                total[group[i], j] += data[i, j]
    for i in range(n):
        if group[i] >= 0:
            continue
        best, home = np.inf, -1
        for g in range(groups):
            if size[g] < 2 * k - 1:
                distance = 0.0
                for j in range(d):
                    distance += (total[g, j] / size[g] - data[i, j]) ** 2
                if distance < best:
                    best, home = distance, g
        group[i] = home
        size[home] += 1.0
        for j in range(d):
            total[home, j] += data[i, j]
