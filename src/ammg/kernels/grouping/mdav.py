"""MDAV, maximum distance to average vector: groups of k records around the outermost records.

Domingo-Ferrer and Torra (2005). Each round takes the record r farthest from the centroid of the remaining records with
its k-1 nearest, then the record s farthest from r with its k-1 nearest. The centroid is a running sum, ties in distance
go to the lowest id, and s is chosen among the records outside r's group.

The fast kernel finds the same groups as full scans. A tree with removals finds the neighbours, its outline the record
farthest from r. For the record farthest from a centroid that moves a little every round, it uses a heap of distances; a
distance is recomputed only if the path of the centroid since then could have made it the largest.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.grouping.farthest_records import Outline, draw_outline, farthest_in_leaf, find_farthest
from ammg.kernels.grouping.mdav_plain import divide, mdav_by_scans, sum_rows
from ammg.kernels.grouping.removal_tree import RemovalTree, build_tree, find_nearest, remove, squared_distance
from ammg.kernels.jit import jit, jit_part

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_FEW = 5_000  # below this, full scans take less than a second, and less than compiling the tree code


def mdav_groups(data: Floats, k: int) -> Integers:
    """Group of each record, numbered in the order MDAV forms them; sizes are k, the last k to 2k-1."""
    rows = checked_rows(data, k)
    return mdav_by_scans(rows, k) if len(rows) < _FEW else mdav_by_tree(rows, k)


def checked_rows(data: Floats, k: int) -> Floats:
    """The records as the kernels need them; raises an error if they cannot be grouped."""
    rows = np.require(data, np.float64, ["C", "W"])  # read-only arrays would compile the kernels again
    if not 1 <= k <= len(rows):
        raise ValueError(f"{len(rows)} records cannot form a group of {k}: choose k from 1 to {len(rows)}.")
    if not np.isfinite(rows).all():
        raise ValueError("Distances need finite values in all records.")
    return rows


def mdav_by_tree(data: Floats, k: int) -> Integers:
    """Group of each record, numbered in the order MDAV forms them, far below n²/k time in few dimensions."""
    n, d = data.shape
    total = np.zeros(d)
    sum_rows(data, total)
    centroid = total / n
    group = np.full(n, -1, np.int64)
    grain = 1e-13 * d * float(max(data.max(), -data.min()))  # exceeds the rounding error of a centroid coordinate
    size, label, way = n, 0, 0.0
    nearest, members, before = np.empty(k - 1), np.empty(k - 1, np.int64), np.empty(d)
    while size >= 2 * k:  # once half of the slots are empty, a new tree is smaller and its boxes fit better
        tree = build_tree(data, np.flatnonzero(group < 0))
        keys, leaves = np.empty(len(tree.right)), np.empty(len(tree.right), np.int64)
        outline = draw_outline(tree, total / size)
        room = before, nearest, members, keys, leaves
        size, label, way = _take_half(tree, outline, data, k, group, size, label, total, centroid, way, grain, *room)
    group[group < 0] = label
    return group


@jit
def _take_half(
    tree: RemovalTree,
    outline: Outline,
    data: Floats,
    k: int,
    group: Integers,
    size: int,
    label: int,
    total: Floats,
    centroid: Floats,
    way: float,
    grain: float,
    before: Floats,
    nearest: Floats,
    members: Integers,
    keys: Floats,
    leaves: Integers,
) -> tuple[int, int, float]:
    """Form groups until half of the tree is taken; returns the remaining records, groups and path length."""
    planted = size
    waiting = _heap_of_leaves(tree, centroid, way, keys, leaves)
    while size >= 2 * k and 2 * size >= planted:
        for j in range(len(centroid)):
            before[j] = centroid[j]
        divide(total, size, centroid)
        way += math.sqrt(squared_distance(before, centroid))
        r, waiting = _farthest_from_centroid(tree, keys, leaves, waiting, centroid, way, grain)
        both = size >= 3 * k
        _take(tree, data, r, group, label, total, nearest, members)
        size -= k
        label += 1
        if both:
            s = find_farthest(tree, outline, data[r])
            _take(tree, data, s, group, label, total, nearest, members)
            size -= k
            label += 1
    return size, label, way


@jit_part
def _take(
    tree: RemovalTree,
    data: Floats,
    seed: int,
    group: Integers,
    label: int,
    total: Floats,
    nearest: Floats,
    members: Integers,
) -> None:
    """Move the record `seed` and its k-1 nearest into a group."""
    remove(tree, seed)
    if len(members) > 0:
        find_nearest(tree, data[seed], nearest, members)
    for m in range(-1, len(members)):
        record = seed if m < 0 else members[m]
        if m >= 0:
            remove(tree, record)
        group[record] = label
        for j in range(len(total)):
            total[j] -= data[record, j]


@jit_part
def _heap_of_leaves(tree: RemovalTree, centroid: Floats, way: float, keys: Floats, leaves: Integers) -> int:
    """Key leaves by their greatest distance from the centroid minus its path length so far; returns their number.

    A key plus a later path length bounds the distance at that time, so keys stay valid when the centroid moves.
    """
    count = 0
    for node in range(len(tree.right)):
        if tree.right[node] == 0:
            distance, _ = farthest_in_leaf(tree, node, centroid)
            _push(keys, leaves, count, math.sqrt(distance) - way, node)
            count += 1
    return count


@jit_part
def _farthest_from_centroid(
    tree: RemovalTree, keys: Floats, leaves: Integers, count: int, centroid: Floats, way: float, grain: float
) -> tuple[int, int]:
    """Record farthest from the centroid, and the number of leaves still in the heap."""
    best, record = -1.0, -1
    end = count  # leaves already examined are kept behind the heap, with their new keys
    while count > 0:
        bound = keys[0] + way
        bound += 1e-9 * (abs(bound) + way) + grain  # allows for rounding of keys and path length
        if bound < 0.0 or bound * bound < best:
            break
        leaf = leaves[0]
        count -= 1
        _sink(keys, leaves, count, keys[count], leaves[count])
        distance, candidate = farthest_in_leaf(tree, leaf, centroid)
        if candidate < 0:
            end -= 1
            keys[count], leaves[count] = keys[end], leaves[end]
            continue
        keys[count], leaves[count] = math.sqrt(distance) - way, leaf
        if distance > best or (distance == best and candidate < record):
            best, record = distance, candidate
    while count < end:
        _push(keys, leaves, count, keys[count], leaves[count])
        count += 1
    return record, count


@jit_part
def _push(keys: Floats, leaves: Integers, count: int, key: float, leaf: int) -> None:
    place = count
    while place > 0 and keys[(place - 1) // 2] < key:
        above = (place - 1) // 2
        keys[place], leaves[place] = keys[above], leaves[above]
        place = above
    keys[place], leaves[place] = key, leaf


@jit_part
def _sink(keys: Floats, leaves: Integers, count: int, key: float, leaf: int) -> None:
    """Replace the largest entry of a heap of `count` entries."""
    place = 0
    while 2 * place + 1 < count:
        below = 2 * place + 1
        if below + 1 < count and keys[below + 1] > keys[below]:
            below += 1
        if keys[below] <= key:
            break
        keys[place], leaves[place] = keys[below], leaves[below]
        place = below
    keys[place], leaves[place] = key, leaf
