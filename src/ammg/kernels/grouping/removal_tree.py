"""A kd-tree from which records are removed: the nearest among the remaining ones.

Boxes shrink as records are removed, so a query never visits empty space. Answers are bitwise those of a full scan:
bounds are computed coordinate by coordinate like the distances they bound, and rounding is monotone.
Ties in distance go to the lowest id.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.columns import extent
from ammg.kernels.jit import jit, jit_part
from ammg.kernels.threads import in_threads, is_worker, processors

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_LEAF = 16  # records per leaf; of 4, 8, 16 and 32 the fastest for 100,000 skewed records of 6 attributes
_DEPTH = 128
_LARGE = 1 << 19  # values from which a tree grows in two threads


class RemovalTree(NamedTuple):
    """Nodes are numbered in preorder: the left child of a node is the next one."""

    points: Floats  # coordinates by slot
    ids: Integers  # record of each slot
    slot: Integers  # slot of each record, -1 if it is not in the tree
    leaf: Integers  # leaf of each slot
    right: Integers  # right child of each node, 0 for a leaf
    parent: Integers
    start: Integers  # first occupied slot of a leaf; slots before it are empty
    end: Integers
    boxes: Floats  # lowest, then highest coordinates of the records of each node
    stack: Integers  # working memory: nodes that a query has yet to visit
    bounds: Floats  # and bounds of the distances to their records


def build_tree(data: Floats, members: Integers) -> RemovalTree:
    """Tree of the records `members` of `data`; identical records share leaves of any size."""
    n = len(members)
    ids = np.array(members, dtype=np.int64)
    in_halves = n * data.shape[1] >= _LARGE and processors() > 1 and not is_worker()
    nodes = _halves(data, ids) if in_halves else _grown(data, ids)
    slot = np.full(len(data), -1, np.int64)
    slot[ids] = np.arange(n)
    return RemovalTree(data[ids], ids, slot, *nodes, np.empty(_DEPTH, np.int64), np.empty(_DEPTH))


class _Nodes(NamedTuple):
    """What a tree knows of its nodes, and the leaf of each slot."""

    leaf: Integers
    right: Integers
    parent: Integers
    start: Integers
    end: Integers
    boxes: Floats


def _grown(data: Floats, ids: Integers) -> _Nodes:
    """The nodes of a tree of some records; `ids` is put into the order of slots in place."""
    n, d = len(ids), data.shape[1]
    capacity = max(4 * n // _LEAF + 8, 8)
    right, start, end = np.zeros((3, capacity), np.int64)
    parent = np.full(capacity, -1, np.int64)
    boxes = np.empty((capacity, 2 * d))
    leaf = np.empty(n, np.int64)
    nodes = _grow(data, ids, leaf, right, parent, start, end, boxes, np.zeros((_DEPTH, 3), np.int64))
    return _Nodes(leaf, right[:nodes], parent[:nodes], start[:nodes], end[:nodes], boxes[:nodes])


def _halves(data: Floats, ids: Integers) -> _Nodes:
    """The same for many records: a root, and below it two trees that grow in threads."""
    n, d = len(ids), data.shape[1]
    low, high = np.array(in_threads(lambda j: extent(data[ids, j]), range(d), n * d)).T
    axis, middle = int(np.argmax(high - low)), n // 2
    ids[:] = ids[np.argpartition(data[ids, axis], middle)]
    left, right = in_threads(lambda part: _grown(data, part), (ids[:middle], ids[middle:]), n * d)
    first = 1 + len(left.right)
    root = (np.zeros(0, np.int64), *np.array([[first], [-1], [0], [n]]), np.append(low, high)[None])
    parts: Any = zip(root, _below(left, 1, 0), _below(right, first, middle), strict=True)
    return _Nodes(*map(np.concatenate, parts))


def _below(nodes: _Nodes, first: int, start: int) -> _Nodes:
    """The nodes of a tree as part of a larger one, where they begin with `first` and its slots with `start`."""
    parent = nodes.parent + first
    parent[0] = 0
    right = np.where(nodes.right > 0, nodes.right + first, 0)
    return _Nodes(nodes.leaf + first, right, parent, nodes.start + start, nodes.end + start, nodes.boxes)


@jit
def remove(tree: RemovalTree, record: int) -> None:
    """Remove a record; the first record of the leaf takes its slot, so that identical records stay in order."""
    d = tree.points.shape[1]
    slot = tree.slot[record]
    node = tree.leaf[slot]
    first = tree.start[node]
    touched = False
    for j in range(d):
        value = tree.points[slot, j]
        touched |= value == tree.boxes[node, j] or value == tree.boxes[node, d + j]
        tree.points[slot, j] = tree.points[first, j]
    moved = tree.ids[first]
    tree.ids[slot] = moved
    tree.slot[moved] = slot
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
    """Fill `distances` (squared, ascending) and `records` with the nearest remaining records; -1 if there are fewer."""
    wanted = len(records)
    for place in range(wanted):
        distances[place], records[place] = np.inf, -1
    stack, bounds = tree.stack, tree.bounds
    stack[0], bounds[0] = 0, 0.0
    waiting = 1
    while waiting > 0:
        waiting -= 1
        node = stack[waiting]
        if bounds[waiting] > distances[wanted - 1]:
            continue
        while tree.right[node] > 0:
            near, far = node + 1, tree.right[node]
            near_bound, far_bound = least_distance(tree.boxes, near, point), least_distance(tree.boxes, far, point)
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
        for slot in range(tree.start[node], last_to_visit(tree, node, wanted)):
            distance = distance_of_row(tree.points, slot, point)
            if distance < distances[wanted - 1] or (
                distance == distances[wanted - 1] and (tree.ids[slot] < records[wanted - 1] or records[wanted - 1] < 0)
            ):
                insert_candidate(distances, records, distance, tree.ids[slot])


@jit_part
def distance_of_row(rows: Floats, row: int, point: Floats) -> float:
    """Squared Euclidean distance of a row from a point, summed in the order of the coordinates."""
    total = 0.0
    for j in range(len(point)):
        total += (rows[row, j] - point[j]) ** 2
    return total


@jit_part
def squared_distance(left: Floats, right: Floats) -> float:
    """Squared Euclidean distance of two points, summed in the order of the coordinates."""
    total = 0.0
    for j in range(len(left)):
        total += (left[j] - right[j]) ** 2
    return total


@jit_part
def insert_candidate(distances: Floats, records: Integers, distance: float, record: int) -> None:
    """Insert a record into lists sorted by distance, then id; the last entry is dropped."""
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
def _grow(
    data: Floats,
    ids: Integers,
    leaf: Integers,
    right: Integers,
    parent: Integers,
    start: Integers,
    end: Integers,
    boxes: Floats,
    stack: Integers,
) -> int:
    """Write the nodes of a tree of `ids`, which are sorted into the order of slots; returns the number of nodes."""
    d = data.shape[1]
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, len(ids), -1
    waiting, nodes = 1, 0
    while waiting > 0:
        waiting -= 1
        begin, stop, above = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2]
        node = nodes
        nodes += 1
        parent[node] = above
        if above >= 0 and above != node - 1:
            right[above] = node
        start[node], end[node] = begin, stop
        axis = _enclose(data, ids, begin, stop, boxes, node)
        if stop - begin <= _LEAF or boxes[node, axis] == boxes[node, d + axis]:
            for t in range(begin, stop):
                leaf[t] = node
            _sort(ids, begin, stop)
            continue
        middle = (begin + stop) // 2
        split_at(data, ids, begin, stop, middle, axis)
        stack[waiting, 0], stack[waiting, 1], stack[waiting, 2] = middle, stop, node
        stack[waiting + 1, 0], stack[waiting + 1, 1], stack[waiting + 1, 2] = begin, middle, node
        waiting += 2
    return nodes


@jit_part
def _sort(ids: Integers, begin: int, stop: int) -> None:
    """Heap sort of a slice; numpy's sort takes seconds to compile."""
    for last in range(stop - begin - 1, 0, -1):
        first = (last - 1) // 2 if last == stop - begin - 1 else 0
        for top in range(first, -1, -1):
            parent = top
            while 2 * parent + 1 <= last:
                child = 2 * parent + 1
                if child < last and ids[begin + child] < ids[begin + child + 1]:
                    child += 1
                if ids[begin + parent] >= ids[begin + child]:
                    break
                ids[begin + parent], ids[begin + child] = ids[begin + child], ids[begin + parent]
                parent = child
        ids[begin], ids[begin + last] = ids[begin + last], ids[begin]


@jit_part
def _enclose(data: Floats, ids: Integers, begin: int, stop: int, boxes: Floats, node: int) -> int:
    """Write a node's box and return its widest axis."""
    d = data.shape[1]
    axis, widest = 0, -1.0
    for j in range(d):
        low, high = np.inf, -np.inf
        for t in range(begin, stop):
            low = min(low, data[ids[t], j])
            high = max(high, data[ids[t], j])
        boxes[node, j], boxes[node, d + j] = low, high
        if high - low > widest:
            axis, widest = j, high - low
    return axis


@jit_part
def split_at(data: Floats, ids: Integers, begin: int, stop: int, middle: int, axis: int | np.int64) -> None:
    """Partition ids so that along an axis those before `middle` are not above those after it (Hoare's selection)."""
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


@jit_part
def _shrink_leaf(tree: RemovalTree, node: int) -> None:
    d = tree.points.shape[1]
    for j in range(d):
        low, high = np.inf, -np.inf
        for slot in range(tree.start[node], tree.end[node]):
            low = min(low, tree.points[slot, j])
            high = max(high, tree.points[slot, j])
        tree.boxes[node, j], tree.boxes[node, d + j] = low, high


@jit_part
def _shrink_to_children(tree: RemovalTree, node: int) -> bool:
    """Shrink a node's box to its children; returns whether it was larger."""
    d = tree.points.shape[1]
    boxes, left, right = tree.boxes, node + 1, tree.right[node]
    shrunk = False
    for j in range(d):
        low, high = min(boxes[left, j], boxes[right, j]), max(boxes[left, d + j], boxes[right, d + j])
        shrunk |= low != boxes[node, j] or high != boxes[node, d + j]
        boxes[node, j], boxes[node, d + j] = low, high
    return shrunk


@jit_part
def last_to_visit(tree: RemovalTree, leaf: int, wanted: int | np.int64) -> int:
    """Where to stop in a leaf: an overfull one holds identical records in the order of their ids."""
    end: int = tree.end[leaf]
    if end - tree.start[leaf] > _LEAF:
        end = min(end, tree.start[leaf] + wanted)
    return end


@jit_part
def least_distance(boxes: Floats, node: int, point: Floats) -> float:
    """The least squared distance that a record of a node can have from a point."""
    d = len(point)
    total = 0.0
    for j in range(d):
        gap = max(boxes[node, j] - point[j], point[j] - boxes[node, d + j], 0.0)
        total += gap * gap
    return total
