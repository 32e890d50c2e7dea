"""MDAV, maximum distance to average vector: groups of k records around the outermost records.

Domingo-Ferrer and Torra (2005). Each round takes the record r farthest from the centroid of the remaining records with
its k-1 nearest, then the record s farthest from r with its k-1 nearest. The centroid is a running sum, ties in distance
go to the lowest id, and s is chosen among the records outside r's group.

The fast kernel finds the same groups as full scans. A tree with removals finds the neighbours, its outline the record
farthest from r, a heap of leaves the one farthest from the centroid. Most of the time goes into the search from r. A
second thread, if there is a processor for it, searches ahead from the records that will probably be r in later rounds;
the groups do not depend on it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.grouping.farthest_records import draw_outline
from ammg.kernels.grouping.job_board import (
    Board,
    Finder,
    copied,
    dismiss,
    farthest_left,
    help_out,
    is_helped,
    new_board,
    post,
    tell_removed,
)
from ammg.kernels.grouping.mdav_plain import divide, mdav_by_scans, sum_rows
from ammg.kernels.grouping.outer_leaves import (
    OuterLeaves,
    empty_heap,
    expect_next,
    farthest_from_centroid,
    heap_leaves,
)
from ammg.kernels.grouping.removal_tree import RemovalTree, build_tree, find_nearest, remove, squared_distance
from ammg.kernels.jit import jit, jit_part
from ammg.kernels.threads import has_spare_processor, helped_by

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_FEW = 5_000  # below this, full scans take less than a second, and less than compiling the tree code
_LARGEST = 1e150  # values whose squared differences can be added up
_MANY = 20_000  # below this, the rest takes a tenth of a second: a helper would save less than compiling it takes


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
    if rows.size and max(rows.max(), -rows.min()) > _LARGEST:
        raise ValueError(f"Distances of values beyond {_LARGEST:g} overflow: divide the values by a constant first.")
    return rows


def mdav_by_tree(data: Floats, k: int) -> Integers:
    """Group of each record, numbered in the order MDAV forms them, far below n²/k time in few dimensions."""
    n, d = data.shape
    total = np.zeros(d)
    sum_rows(data, total)
    centroid = total / n
    group = np.full(n, -1, np.int64)
    extent = float(max(data.max(), -data.min()))
    grain = 1e-13 * d * extent + 1e-160  # exceeds rounding errors of a centroid coordinate and of denormal squares
    size, label, way = n, 0, 0.0
    nearest, members, before = np.empty(k - 1), np.empty(k - 1, np.int64), np.empty(d)
    while size >= 2 * k:  # once half of the slots are empty, a new tree is smaller and its boxes fit better
        tree = build_tree(data, np.flatnonzero(group < 0))
        finder, heap = Finder(tree, draw_outline(tree, total / size)), empty_heap(tree)
        room = before, nearest, members
        with _helped(finder, data, size) as board:
            size, label, way = _take_half(
                board, finder, heap, data, k, group, size, label, total, centroid, way, grain, *room
            )
    group[group < 0] = label
    return group


@contextmanager
def _helped(finder: Finder, data: Floats, size: int) -> Iterator[Board]:
    """A board on which another thread finds jobs, if that is worth its while."""
    helper = None
    if size >= _MANY and has_spare_processor():
        with suppress(MemoryError):
            helper = copied(finder)
    if helper is None:
        yield new_board(size, has_helper=False)
        return
    board = new_board(size, has_helper=True)
    with helped_by(lambda: help_out(board, helper, data), lambda: dismiss(board)):
        yield board


@jit
def _take_half(
    board: Board,
    finder: Finder,
    heap: OuterLeaves,
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
) -> tuple[int, int, float]:
    """Form groups until half of the tree is taken; returns the remaining records, groups and path length."""
    planted, tree = size, finder.tree
    waiting = heap_leaves(tree, heap, centroid, way)
    while size >= 2 * k and 2 * size >= planted:
        for j in range(len(centroid)):
            before[j] = centroid[j]
        divide(total, size, centroid)
        way += math.sqrt(squared_distance(before, centroid))
        r, waiting = farthest_from_centroid(tree, heap, waiting, centroid, way, grain)
        both = size >= 3 * k
        _take(board, tree, data, r, group, label, total, nearest, members, planted - size)
        size -= k
        label += 1
        if both:
            if is_helped(board):
                expect_next(tree, heap, waiting, data, group, centroid, way)
                post(board, heap.next_records)
            s = farthest_left(board, finder, data, r, group)
            _take(board, tree, data, s, group, label, total, nearest, members, planted - size)
            size -= k
            label += 1
    return size, label, way


@jit_part
def _take(
    board: Board,
    tree: RemovalTree,
    data: Floats,
    seed: int,
    group: Integers,
    label: int,
    total: Floats,
    nearest: Floats,
    members: Integers,
    taken: int,
) -> None:
    """Move the record `seed` and its k-1 nearest into a group; `taken` records of the tree are in groups already."""
    remove(tree, seed)
    if len(members) > 0:
        find_nearest(tree, data[seed], nearest, members)
    for m in range(-1, len(members)):
        record = seed if m < 0 else members[m]
        if m >= 0:
            remove(tree, record)
        group[record] = label
        board.log[taken + m + 1] = record
        for j in range(len(total)):
            total[j] -= data[record, j]
    tell_removed(board, taken + len(members) + 1)
