"""V-MDAV: MDAV with groups of variable size, extended by records that are closer to the group than to other records.

Solanas and Martínez-Ballesté (2006). Seeds are the records farthest from the centroid of the whole file, computed once.
After k records, a group considers the nearest record e outside, at distance d_in from its nearest member, and adds it
if d_in < gamma · d_out, with d_out the distance from e to the nearest other record outside; it stops at 2k-1 records.
Distances are those of `mixed_records`: attributes missing in either record are left out.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.grouping.mixed_records import Records, dissimilarity, numeric_records
from ammg.kernels.grouping.removal_tree import RemovalTree, build_tree, find_nearest, insert_candidate, remove
from ammg.kernels.jit import jit, jit_part

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_FEW = 5_000  # below this, full scans take less than a second, and less than compiling the tree code


def v_mdav_groups(data: Floats, k: int, gamma: float = 0.2) -> Integers:
    """Group of each record, numbered in order of formation; all have k to 2k-1 records.

    The fewer than k records left at the end join the nearest centroid whose group has room. Takes n² time if values
    are missing.
    """
    records = numeric_records(data)
    rows, n = records.values, len(records.values)
    if not 1 <= k <= n:
        raise ValueError(f"{n} records cannot form a group of {k}: choose k from 1 to {n}.")
    if np.isinf(rows).any():
        raise ValueError("Distances need finite values in all records.")
    average = np.nansum(rows, axis=0) / np.maximum(np.count_nonzero(~np.isnan(rows), axis=0), 1)
    outermost_first = np.argsort(-_squares_from(rows, average), kind="stable")
    group = np.full(n, -1, dtype=np.int64)
    nearest, members = np.empty(k), np.empty(2 * k, dtype=np.int64)
    if records.is_plain and n >= _FEW:
        tree, two_nearest, two = build_tree(rows, np.arange(n)), np.empty(2), np.empty(2, dtype=np.int64)
        _group_by_tree(tree, rows, gamma, outermost_first, group, nearest, members, two_nearest, two)
    else:
        _group_by_scans(_Scan(records, gamma, np.arange(n), np.empty(n), group, nearest, members), outermost_first)
    _house_the_rest(rows, group, k)
    return group


def _squares_from(rows: Floats, point: Floats) -> Floats:
    """Squared distance of each row from a point, over the columns that both have, scaled up for the others."""
    gaps = rows - point
    squares: Floats = np.nansum(gaps**2, axis=1)
    compared = np.count_nonzero(~np.isnan(gaps), axis=1)
    scaled = squares * gaps.shape[1] / np.maximum(compared, 1)
    return np.where(compared == gaps.shape[1], squares, np.where(compared > 0, scaled, 2.0 * gaps.shape[1]))


def _house_the_rest(rows: Floats, group: Integers, k: int) -> None:
    """Put each of the fewer than k ungrouped records into the group with the nearest centroid that has room."""
    size = np.bincount(group[group >= 0])
    seen = ~np.isnan(rows)
    total, count = np.zeros((2, len(size), rows.shape[1]))
    for j in range(rows.shape[1]):
        housed = (group >= 0) & seen[:, j]
        total[:, j] = np.bincount(group[housed], rows[housed, j], len(size))
        count[:, j] = np.bincount(group[housed], minlength=len(size))
    for record in np.flatnonzero(group < 0):
        centres = np.where(count > 0, total / np.maximum(count, 1), np.nan)
        home = int(np.argmin(np.where(size < 2 * k - 1, _squares_from(centres, rows[record]), np.inf)))
        group[record] = home
        size[home] += 1
        count[home] += seen[record]
        total[home] += np.nan_to_num(rows[record])


class _Scan(NamedTuple):
    """Input and working memory of full scans."""

    records: Records
    gamma: float
    left: Integers  # ungrouped records, in ascending order
    to_group: Floats  # distance of each of them from the current group
    group: Integers
    nearest: Floats  # the k nearest to the seed
    members: Integers  # of the current group


@jit
def _group_by_scans(scan: _Scan, outermost_first: Integers) -> None:
    records, left, nearest, members = scan.records, scan.left, scan.nearest, scan.members
    k, size, label = len(nearest), len(left), 0
    for seed in outermost_first:
        if scan.group[seed] >= 0 or size < k:
            continue
        for m in range(k):
            nearest[m], members[m] = np.inf, -1
        for t in range(size):
            distance = dissimilarity(records, left[t], seed) if left[t] != seed else -1.0
            if distance < nearest[k - 1]:
                insert_candidate(nearest, members[:k], distance, left[t])
        for m in range(k):
            scan.group[members[m]] = label
        size = _extend_by_scans(scan, _close_up(scan, size))
        label += 1


@jit_part
def _extend_by_scans(scan: _Scan, size: int) -> int:
    """Extend the group of the first k members; returns the number of records left."""
    k, records, left = len(scan.nearest), scan.records, scan.left
    to_group, members = scan.to_group, scan.members
    for t in range(size):
        to_group[t] = np.inf
    # NOTE: a group is not extended if fewer than k records would be left, so that those always find room.
    measured, taken, most = 0, k, k + min(k - 1, size - k)
    while taken < most:
        for m in range(measured, taken):
            for t in range(size):
                to_group[t] = min(to_group[t], dissimilarity(records, left[t], members[m]))
        measured = taken
        place = 0
        for t in range(1, size):
            if to_group[t] < to_group[place]:
                place = t
        closest, outside = left[place], np.inf
        for t in range(size):
            if t != place:
                outside = min(outside, dissimilarity(records, left[t], closest))
        if math.sqrt(to_group[place]) >= scan.gamma * math.sqrt(outside):
            break
        scan.group[closest] = scan.group[members[0]]
        members[taken] = closest
        taken += 1
        size = _close_up(scan, size)
    return size


@jit_part
def _close_up(scan: _Scan, size: int) -> int:
    """Remove grouped records from the list; returns how many are left."""
    kept = 0
    for t in range(size):
        if scan.group[scan.left[t]] < 0:
            scan.left[kept], scan.to_group[kept] = scan.left[t], scan.to_group[t]
            kept += 1
    return kept


@jit
def _group_by_tree(
    tree: RemovalTree,
    data: Floats,
    gamma: float,
    outermost_first: Integers,
    group: Integers,
    nearest: Floats,
    members: Integers,
    two_nearest: Floats,
    two: Integers,
) -> None:
    """The same groups by a tree, in far less than n² time in few dimensions."""
    k, left, label = len(nearest), len(group), 0
    for seed in outermost_first:
        if group[seed] >= 0 or left < k:
            continue
        remove(tree, seed)
        members[0] = seed
        if k > 1:
            find_nearest(tree, data[seed], nearest[1:], members[1:k])
        for m in range(1, k):
            remove(tree, members[m])
        taken = k
        most = k + min(k - 1, left - 2 * k)
        while taken < most:
            inside, closest = np.inf, -1
            for m in range(taken):
                find_nearest(tree, data[members[m]], two_nearest[:1], two[:1])
                if two_nearest[0] < inside or (two_nearest[0] == inside and two[0] < closest):
                    inside, closest = two_nearest[0], two[0]
            find_nearest(tree, data[closest], two_nearest, two)  # one of them is the record itself
            outside = two_nearest[1] if two[0] == closest else two_nearest[0]
            if math.sqrt(inside) >= gamma * math.sqrt(outside):
                break
            remove(tree, closest)
            members[taken] = closest
            taken += 1
        left -= taken
        for m in range(taken):
            group[members[m]] = label
        label += 1
