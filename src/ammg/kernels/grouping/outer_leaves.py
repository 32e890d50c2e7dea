"""The record farthest from a centroid that moves a little from query to query, and those that will come next.

The leaves of a tree wait in a heap. A key is the greatest distance of a leaf from the centroid minus the length of its
path when the leaf was measured. A key plus a later path length bounds the distance at that time, so keys stay valid
when the centroid moves; a leaf is measured again only if it could hold the farthest record.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.grouping.farthest_records import farthest_in_leaf
from ammg.kernels.grouping.removal_tree import RemovalTree, distance_of_row, insert_candidate
from ammg.kernels.jit import MINUS_ONE, jit_part

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_FRONT = 127  # entries of the heap among which the next records are sought: its seven upper levels
_NEXT = 3


class OuterLeaves(NamedTuple):
    """A heap of leaves with the largest key in front."""

    keys: Floats
    leaves: Integers
    outermost: Integers  # by node: the record that was farthest when the leaf was last measured
    next_distances: Floats  # of the records expected next: squared, with a minus sign
    next_records: Integers


def empty_heap(tree: RemovalTree) -> OuterLeaves:
    """Room for the leaves of a tree."""
    nodes = len(tree.right)
    leaves, outermost = np.empty((2, nodes), np.int64)
    return OuterLeaves(np.empty(nodes), leaves, outermost, np.empty(_NEXT), np.empty(_NEXT, np.int64))


@jit_part
def heap_leaves(tree: RemovalTree, heap: OuterLeaves, centroid: Floats, way: float) -> int:
    """Fill the heap; returns the number of leaves. `way` is the length of the centroid's path so far."""
    count = 0
    for node in range(len(tree.right)):
        if tree.right[node] == 0:
            distance, heap.outermost[node] = farthest_in_leaf(tree, node, centroid)
            _push(heap.keys, heap.leaves, count, math.sqrt(distance) - way, node)
            count += 1
    return count


@jit_part
def farthest_from_centroid(
    tree: RemovalTree, heap: OuterLeaves, count: int, centroid: Floats, way: float, grain: float
) -> tuple[int, int]:
    """Record farthest from the centroid, and the number of leaves still in the heap."""
    keys, leaves = heap.keys, heap.leaves
    best, record = -1.0, MINUS_ONE
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
        heap.outermost[leaf] = candidate
        keys[count], leaves[count] = math.sqrt(distance) - way, leaf
        if distance > best or (distance == best and candidate < record):
            best, record = distance, candidate
    while count < end:
        _push(keys, leaves, count, keys[count], leaves[count])
        count += 1
    return record, count


@jit_part
def expect_next(
    tree: RemovalTree, heap: OuterLeaves, count: int, data: Floats, group: Integers, centroid: Floats, way: float
) -> None:
    """Write the remaining records that will probably be farthest from the centroid next into `next_records`.

    These are guesses: a record is not among them if its leaf is far down in the heap or holds a farther one.
    """
    distances, records = heap.next_distances, heap.next_records
    last = len(records) - 1
    for rank in range(last + 1):
        distances[rank], records[rank] = np.inf, MINUS_ONE
    for place in range(min(count, _FRONT)):
        bound = heap.keys[place] + way
        if bound * bound < -distances[last]:
            continue
        leaf = heap.leaves[place]
        record = heap.outermost[leaf]
        if group[record] >= 0:
            _, record = farthest_in_leaf(tree, leaf, centroid)
            if record < 0:
                continue
            heap.outermost[leaf] = record
        distance = -distance_of_row(data, record, centroid)
        if distance < distances[last]:
            insert_candidate(distances, records, distance, record)


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
