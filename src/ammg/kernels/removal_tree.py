"""A kd-tree from which records are taken away: nearest and farthest among those that are left.

Boxes are shrunk as records leave, so a query never looks where nobody is. Answers are those of a full scan to the last
bit: bounds are computed coordinate by coordinate like the distances they bound, and rounding is monotone. Records at the
same distance are taken by the lowest id.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_LEAF = 8  # records of a leaf; measured best of 4, 8, 16 for 6 attributes
_DEPTH = 128


class RemovalTree(NamedTuple):
    """Nodes are numbered in preorder: the left child of a node is the next one."""

    points: Floats  # coordinates by slot
    ids: Integers  # record of each slot
    slot: Integers  # slot of each record, -1 if it is not in the tree
    leaf: Integers  # leaf of each slot
    right: Integers  # right child of each node, 0 for a leaf
    parent: Integers
    start: Integers  # first occupied slot of a leaf; slots before it are vacated
    end: Integers
    boxes: Floats  # lowest, then highest coordinates of the records of each node


@jit
def build_tree(data: Floats, members: Integers) -> RemovalTree:
    """Tree of the records `members` of `data`; identical records share leaves of any size."""
    n, d = len(members), data.shape[1]
    ids = members.copy()
    capacity = max(4 * n // _LEAF + 8, 8)
    right = np.zeros(capacity, np.int64)
    parent = np.full(capacity, -1, np.int64)
    start = np.zeros(capacity, np.int64)
    end = np.zeros(capacity, np.int64)
    boxes = np.empty((capacity, 2 * d))
    leaf = np.empty(n, np.int64)
    stack = np.empty((_DEPTH, 3), np.int64)
    stack[0] = 0, n, -1
    waiting, nodes = 1, 0
    while waiting > 0:
        waiting -= 1
        begin, stop, above = stack[waiting]
        node = nodes
        nodes += 1
        parent[node] = above
        if above >= 0 and above != node - 1:
            right[above] = node
        start[node], end[node] = begin, stop
        axis = _enclose(data, ids, begin, stop, boxes[node])
        if stop - begin <= _LEAF or boxes[node, axis] == boxes[node, d + axis]:
            leaf[begin:stop] = node
            ids[begin:stop].sort()
            continue
        middle = (begin + stop) // 2
        _split(data, ids, begin, stop, middle, axis)
        stack[waiting] = middle, stop, node
        stack[waiting + 1] = begin, middle, node
        waiting += 2
    points = np.empty((n, d))
    slot = np.full(len(data), -1, np.int64)
    for i in range(n):
        points[i] = data[ids[i]]
        slot[ids[i]] = i
    return RemovalTree(
        points,
        ids,
        slot,
        leaf,
        right[:nodes].copy(),
        parent[:nodes].copy(),
        start[:nodes].copy(),
        end[:nodes].copy(),
        boxes[:nodes].copy(),
    )


@jit
def remove(tree: RemovalTree, record: int) -> None:
    """Take one record out; its slot goes to the first record of the leaf, so that identical records stay in order."""
    d = tree.points.shape[1]
    slot = tree.slot[record]
    node = tree.leaf[slot]
    first = tree.start[node]
    touched = False
    for j in range(d):
        value = tree.points[slot, j]
        touched |= value == tree.boxes[node, j] or value == tree.boxes[node, d + j]
    moved = tree.ids[first]
    tree.ids[slot] = moved
    tree.slot[moved] = slot
    tree.points[slot] = tree.points[first]
    tree.slot[record] = -1
    tree.start[node] = first + 1
    if not touched or tree.end[node] - first > _LEAF:
        return
    _shrink_leaf(tree, node)
    node = tree.parent[node]
    while node >= 0 and _shrink_to_children(tree, node):
        node = tree.parent[node]


@jit
def find_nearest(tree: RemovalTree, point: Floats, distances: Floats, records: Integers) -> None:
    """Fill `distances` (squared, ascending) and `records` with the nearest records that are left; -1 where there is none."""
    wanted = len(records)
    distances[:] = np.inf
    records[:] = -1
    stack = np.empty(_DEPTH, np.int64)
    bounds = np.empty(_DEPTH)
    stack[0], bounds[0] = 0, 0.0
    waiting = 1
    while waiting > 0:
        waiting -= 1
        node = stack[waiting]
        if bounds[waiting] > distances[wanted - 1]:
            continue
        while tree.right[node] > 0:
            near, far = node + 1, tree.right[node]
            near_bound, far_bound = _least_distance(tree.boxes[near], point), _least_distance(tree.boxes[far], point)
            if far_bound < near_bound:
                near, far = far, near
                near_bound, far_bound = far_bound, near_bound
            if far_bound <= distances[wanted - 1] and far_bound < np.inf:
                stack[waiting], bounds[waiting] = far, far_bound
                waiting += 1
            node = near
            if near_bound > distances[wanted - 1]:
                break
        if tree.right[node] > 0:
            continue
        for slot in range(tree.start[node], _last_to_visit(tree, node, wanted)):
            distance = squared_distance(tree.points[slot], point)
            if distance < distances[wanted - 1] or (
                distance == distances[wanted - 1] and (tree.ids[slot] < records[wanted - 1] or records[wanted - 1] < 0)
            ):
                insert_candidate(distances, records, distance, tree.ids[slot])


@jit
def find_farthest(tree: RemovalTree, point: Floats) -> int:
    """The record that is left farthest from a point; -1 if none is left."""
    best, record = -1.0, -1
    stack = np.empty(_DEPTH, np.int64)
    bounds = np.empty(_DEPTH)
    stack[0], bounds[0] = 0, np.inf
    waiting = 1
    while waiting > 0:
        waiting -= 1
        node = stack[waiting]
        if bounds[waiting] < best:
            continue
        while tree.right[node] > 0:
            near, far = node + 1, tree.right[node]
            near_bound, far_bound = (
                _greatest_distance(tree.boxes[near], point),
                _greatest_distance(tree.boxes[far], point),
            )
            if far_bound < near_bound:
                near, far = far, near
                near_bound, far_bound = far_bound, near_bound
            if near_bound >= best and near_bound >= 0.0:
                stack[waiting], bounds[waiting] = near, near_bound
                waiting += 1
            node = far
            if far_bound < best:
                break
        if tree.right[node] > 0:
            continue
        distance, candidate = farthest_in_leaf(tree, node, point)
        if distance > best or (distance == best and candidate < record):
            best, record = distance, candidate
    return record


@jit
def farthest_in_leaf(tree: RemovalTree, leaf: int, point: Floats) -> tuple[float, int]:
    """Squared distance and record farthest from a point in one leaf; (-1, -1) if the leaf is empty."""
    best, record = -1.0, -1
    for slot in range(tree.start[leaf], _last_to_visit(tree, leaf, 1)):
        distance = squared_distance(tree.points[slot], point)
        if distance > best or (distance == best and tree.ids[slot] < record):
            best, record = distance, tree.ids[slot]
    return best, record


@jit
def squared_distance(left: Floats, right: Floats) -> float:
    """Squared Euclidean distance, summed in the order of the coordinates."""
    total = 0.0
    for j in range(len(left)):
        total += (left[j] - right[j]) ** 2
    return total


@jit
def insert_candidate(distances: Floats, records: Integers, distance: float, record: int) -> None:
    """Put a record into lists sorted by distance, then id; the last of the lists is dropped."""
    place = len(records) - 1
    while place > 0 and (
        records[place - 1] < 0
        or distance < distances[place - 1]
        or (distance == distances[place - 1] and record < records[place - 1])
    ):
        distances[place] = distances[place - 1]
        records[place] = records[place - 1]
        place -= 1
    distances[place] = distance
    records[place] = record


@jit
def _enclose(data: Floats, ids: Integers, begin: int, stop: int, box: Floats) -> int:
    """Write the box of some records and return its widest axis."""
    d = data.shape[1]
    box[:d] = np.inf
    box[d:] = -np.inf
    for t in range(begin, stop):
        row = data[ids[t]]
        for j in range(d):
            box[j] = min(box[j], row[j])
            box[d + j] = max(box[d + j], row[j])
    axis = 0
    for j in range(1, d):
        if box[d + j] - box[j] > box[d + axis] - box[axis]:
            axis = j
    return axis


@jit
def _split(data: Floats, ids: Integers, begin: int, stop: int, middle: int, axis: int) -> None:
    """Order ids so that along an axis those before `middle` are not above those after (Hoare's selection)."""
    low, high = begin, stop - 1
    while low < high:
        pivot = data[ids[(low + high) // 2], axis]
        i, j = low, high
        while i <= j:
            while data[ids[i], axis] < pivot:
                i += 1
            while data[ids[j], axis] > pivot:
                j -= 1
            if i <= j:
                ids[i], ids[j] = ids[j], ids[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


@jit
def _shrink_leaf(tree: RemovalTree, node: int) -> None:
    d = tree.points.shape[1]
    box = tree.boxes[node]
    box[:d] = np.inf
    box[d:] = -np.inf
    for slot in range(tree.start[node], tree.end[node]):
        for j in range(d):
            box[j] = min(box[j], tree.points[slot, j])
            box[d + j] = max(box[d + j], tree.points[slot, j])


@jit
def _shrink_to_children(tree: RemovalTree, node: int) -> bool:
    """Make a node's box that of its children; was it larger?"""
    d = tree.points.shape[1]
    left, right = tree.boxes[node + 1], tree.boxes[tree.right[node]]
    box = tree.boxes[node]
    shrunk = False
    for j in range(d):
        low, high = min(left[j], right[j]), max(left[d + j], right[d + j])
        shrunk |= low != box[j] or high != box[d + j]
        box[j] = low
        box[d + j] = high
    return shrunk


@jit
def _last_to_visit(tree: RemovalTree, leaf: int, wanted: int) -> int:
    """Where to stop in a leaf: one that is overfull holds identical records in the order of their ids."""
    start, end = tree.start[leaf], tree.end[leaf]
    return min(end, start + wanted) if end - start > _LEAF else end


@jit
def _least_distance(box: Floats, point: Floats) -> float:
    d = len(point)
    total = 0.0
    for j in range(d):
        gap = max(box[j] - point[j], point[j] - box[d + j], 0.0)
        total += gap * gap
    return total


@jit
def _greatest_distance(box: Floats, point: Floats) -> float:
    d = len(point)
    if box[0] > box[d]:
        return -1.0
    total = 0.0
    for j in range(d):
        gap = max(point[j] - box[j], box[d + j] - point[j])
        total += gap * gap
    return total
