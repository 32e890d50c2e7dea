"""V-MDAV: MDAV with groups of variable size, extended by records that are closer to the group than to other records.

Solanas and Martínez-Ballesté (2006). Seeds are the records farthest from the centroid of the whole file, computed once.
After k records, a group considers the nearest record e outside, at distance d_in from its nearest member, and adds it
if d_in < gamma · d_out, with d_out the distance from e to the nearest other record outside; it stops at 2k-1 records.
Distances are those of `mixed_records`: attributes missing in either record are left out.

With a tree of the ungrouped records, groups are formed for many seeds at a time, in threads, as if each came next. They
are then settled one after the other: a group stands if all records on which it depends are still ungrouped, since the
nearest of more records is the nearest of those that remain if it is one of them; otherwise it is formed again. So the
groups are those of the published order, whatever the number of threads.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.grouping.mixed_records import Records, dissimilarity, numeric_records
from ammg.kernels.grouping.removal_tree import (
    RemovalTree,
    build_tree,
    distance_of_row,
    find_nearest,
    insert_candidate,
    last_to_visit,
    least_distance,
    remove,
)
from ammg.kernels.jit import MINUS_ONE, jit, jit_part
from ammg.kernels.orders import stable_order
from ammg.kernels.threads import in_threads, is_worker, processors
from ammg.progress import part

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_ROWS = 1 << 14  # whose distances from the centroid are computed together
_AHEAD = 16  # records among which a seed is sought: most of them are in groups already
_CROWD = 1500  # ungrouped records per seed whose group is formed ahead: with fewer, many groups are formed in vain
_LEAST = 64  # seeds at a time
_SHARES = 8  # parts of the seeds that threads work on
_SMALL = 16  # least seeds of a part
_MANY = 20_000  # below this, threads save less than the compilation of their kernel takes
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
    if records.is_plain:
        average = rows.sum(axis=0) / n
    else:
        average = np.nansum(rows, axis=0) / np.maximum(np.count_nonzero(~np.isnan(rows), axis=0), 1)
    squares = np.empty(n)

    def measure(start: int, stop: int) -> None:
        squares[start:stop] = _squares_from(rows[start:stop], average)

    over_blocks(measure, n, block=_ROWS, brief=True)
    outermost_first = stable_order(-squares)
    group = np.full(n, -1, dtype=np.int64)
    if records.is_plain and n >= _FEW:
        _group_by_tree(rows, k, gamma, outermost_first, group)
    else:
        nearest, members = np.empty(k), np.empty(2 * k, dtype=np.int64)
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
    if (group >= 0).all():
        return
    size = np.bincount(group[group >= 0])
    seen = ~np.isnan(rows)
    total, count = np.zeros((2, len(size), rows.shape[1]))

    def add_up(j: int) -> None:
        housed = (group >= 0) & seen[:, j]
        total[:, j] = np.bincount(group[housed], rows[housed, j], len(size))
        count[:, j] = np.bincount(group[housed], minlength=len(size))

    in_threads(add_up, range(rows.shape[1]), rows.size)
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


class _Groups(NamedTuple):
    """Groups that were formed for some seeds and are not settled yet."""

    members: Integers  # of each seed's group, itself first; -1 where there are fewer
    relied_on: Integers  # records outside that decided that the group is complete, or -1


def _group_by_tree(rows: Floats, k: int, gamma: float, outermost_first: Integers, group: Integers) -> None:
    """The same groups by a tree, in far less than n² time in few dimensions."""
    n = len(rows)
    tree, left, label, next_ = build_tree(rows, np.arange(n)), n, 0, 0
    room = np.empty(k + 1), np.empty(k + 1, dtype=np.int64)
    alone = is_worker() or processors() == 1
    while next_ < n and left >= k:
        wanted = max(left // _CROWD, _LEAST)
        ahead = outermost_first[next_ : next_ + _AHEAD * wanted]
        free = np.flatnonzero(group[ahead] < 0)[:wanted]
        seeds = ahead[free]
        next_ += int(free[-1]) + 1 if len(free) == wanted else len(ahead)
        groups = _Groups(np.full((len(seeds), 2 * k - 1), -1), np.full((len(seeds), 2), -1))
        with part(n - left, n, size=0):  # ticks, and keeps what is inside from moving the progress
            if not alone and left >= _MANY:
                _form_ahead(tree, rows, k, gamma, seeds, groups)
        left, label = _settle(tree, rows, k, gamma, seeds, groups, group, left, label, *room)


def _form_ahead(tree: RemovalTree, rows: Floats, k: int, gamma: float, seeds: Integers, groups: _Groups) -> None:
    """Form the group of each seed as if it came next, in threads; neighbours are processed together."""
    order = np.argsort(tree.slot[seeds])

    def form(start: int, stop: int) -> None:
        own = tree._replace(stack=np.empty_like(tree.stack), bounds=np.empty_like(tree.bounds))
        _form(own, rows, k, gamma, seeds, order[start:stop], groups, np.empty(k + 1), np.empty(k + 1, dtype=np.int64))

    over_blocks(form, len(seeds), block=max(len(seeds) // _SHARES, _SMALL), brief=True)


@jit
def _form(
    tree: RemovalTree,
    data: Floats,
    k: int,
    gamma: float,
    seeds: Integers,
    places: Integers,
    groups: _Groups,
    distances: Floats,
    nearest: Integers,
) -> None:
    """Form the groups of the seeds at some places."""
    for place in places:
        _form_group(tree, data, k, gamma, seeds, place, groups, 2 * k - 1, distances, nearest)


@jit
def _settle(
    tree: RemovalTree,
    data: Floats,
    k: int,
    gamma: float,
    seeds: Integers,
    groups: _Groups,
    group: Integers,
    left: int,
    label: int,
    distances: Floats,
    nearest: Integers,
) -> tuple[int, int]:
    """Group the seeds one after the other; returns the numbers of ungrouped records and of groups."""
    for place in range(len(seeds)):
        if group[seeds[place]] >= 0 or left < k:
            continue
        # NOTE: a group is not extended if fewer than k records would be left, so that those always find room.
        most = k + min(k - 1, left - 2 * k)
        if most < 2 * k - 1 or not _stands(groups, place, group):
            _form_group(tree, data, k, gamma, seeds, place, groups, most, distances, nearest)
        for member in groups.members[place]:
            if member >= 0:
                remove(tree, member)
                group[member] = label
                left -= 1
        label += 1
    return left, label


@jit_part
def _stands(groups: _Groups, place: int, group: Integers) -> bool:
    """Whether a group was formed, and all records on which it depends are still ungrouped."""
    stands = groups.members[place, 0] >= 0
    for record in groups.members[place]:
        stands &= record < 0 or group[record] < 0
    for record in groups.relied_on[place]:
        stands &= record < 0 or group[record] < 0
    return bool(stands)


@jit_part
def _form_group(
    tree: RemovalTree,
    data: Floats,
    k: int,
    gamma: float,
    seeds: Integers,
    place: int,
    groups: _Groups,
    most: int,
    distances: Floats,
    nearest: Integers,
) -> None:
    """Write the group of a seed among the records of the tree, and the records outside that decided its size."""
    seed, members, relied_on = seeds[place], groups.members[place], groups.relied_on[place]
    find_nearest(tree, data[seed], distances, nearest)  # with the seed itself, unless too many records equal it
    for m in range(len(members)):
        members[m] = -1
    members[0], relied_on[0], relied_on[1] = seed, -1, -1
    taken, next_ = 1, 0
    while taken < k:
        if nearest[next_] != seed:
            members[taken] = nearest[next_]
            taken += 1
        next_ += 1
    if nearest[next_] == seed:
        next_ += 1
    inside, closest, measured, never = distances[next_], nearest[next_], 1, -1.0
    while taken < most:
        for m in range(measured, taken):
            inside, closest = _nearest_outside(tree, data[members[m]], members, taken, inside, closest, never, gamma)
        members[taken] = closest
        outside, witness = _nearest_outside(
            tree, data[closest], members, taken + 1, np.inf, MINUS_ONE, math.sqrt(inside), gamma
        )
        if math.sqrt(inside) >= gamma * math.sqrt(outside):
            members[taken] = -1
            relied_on[0], relied_on[1] = closest, witness
            return
        taken += 1
        measured, inside, closest = 0, np.inf, MINUS_ONE


@jit_part
def _nearest_outside(
    tree: RemovalTree,
    point: Floats,
    members: Integers,
    taken: int,
    distance: float,
    record: int,
    enough: float,
    gamma: float,
) -> tuple[float, int]:
    """The nearest record outside the group if it is nearer than the given one, with its squared distance.

    The search ends as soon as a record at distance d is found with gamma · d at most `enough`.
    """
    stack, bounds = tree.stack, tree.bounds
    stack[0], bounds[0] = 0, 0.0
    waiting = 1
    while waiting > 0:
        waiting -= 1
        node = stack[waiting]
        if bounds[waiting] > distance:
            continue
        while tree.right[node] > 0:
            near, far = node + 1, tree.right[node]
            near_bound, far_bound = least_distance(tree.boxes, near, point), least_distance(tree.boxes, far, point)
            if far_bound < near_bound:
                near, far = far, near
                near_bound, far_bound = far_bound, near_bound
            if far_bound <= distance and far_bound < np.inf:
                stack[waiting], bounds[waiting] = far, far_bound
                waiting += 1
            node = near
            if near_bound > distance:
                break
        if tree.right[node] > 0:
            continue
        for slot in range(tree.start[node], last_to_visit(tree, node, taken + 1)):
            found = distance_of_row(tree.points, slot, point)
            if found > distance or (found == distance and record >= 0 and tree.ids[slot] >= record):
                continue
            if not _is_among(members, taken, tree.ids[slot]):
                distance, record = found, tree.ids[slot]
                if gamma * math.sqrt(distance) <= enough:
                    return distance, record
    return distance, record


@jit_part
def _is_among(members: Integers, taken: int, record: int) -> bool:
    found = False
    for m in range(taken):
        found |= members[m] == record
    return found
