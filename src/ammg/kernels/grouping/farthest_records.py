"""The record farthest from a point, among those that remain in a tree.

Boxes alone tell little about great distances: in several dimensions their corners are far out and empty. So each leaf
also knows its reach, the greatest distance of its records from one centre. With y = x - centre and w = centre - point,

    |x - point|² = |y|² + 2 y·w + |w|² = 2|y|² + 2|w|² - |y - w|²,

where the reach bounds |y|² and the box the rest. An outline keeps its own copy of the boxes, in packs of neighbours
whose bounds are computed at once; packs of packs lead to one at the top. The search opens what has the greatest bound
first, so it opens nothing whose bound is below the answer. A leaf that lost records is measured again when a query
meets it, and the packs above it when a later query opens them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.grouping.removal_tree import RemovalTree, distance_of_row, last_to_visit
from ammg.kernels.jit import MINUS_ONE, ZERO, jit, jit_part

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_PACK = 32  # boxes per pack
_KNOWN = 64  # far records to try first
_CLOSE = 0.9  # of the greatest squared distance: records beyond are worth trying first


class Outline(NamedTuple):
    """The leaves of a tree, packs of neighbouring leaves, packs of packs, and so on up to a single pack.

    A place is a number of a box: place p is column p % 32 of pack p // 32. The leaves come first, the top pack last.
    """

    centre: Floats
    packs: Floats  # by pack: lowest coordinates, highest coordinates and squared reach (-inf if empty) of 32 boxes
    inside: Integers  # the tree's node at a place, or -1 - the number of the pack that its box encloses
    above: Integers  # the place whose box encloses a pack; -1 for the top
    starts: Integers  # the first slot of the leaf at a place when it was measured
    is_loose: NDArray[np.bool_]  # whether boxes of a pack were measured after the one that encloses it
    known: Integers  # records that earlier queries found far out, or -1
    keys: Floats  # working memory: places that a query has yet to visit, and their bounds
    places: Integers
    bounds: Floats
    gaps: Floats


def draw_outline(tree: RemovalTree, centre: Floats) -> Outline:
    """The outline of a tree that has lost no record yet."""
    nodes = np.flatnonzero(tree.right == 0)
    reach = np.empty(len(nodes))
    _measure_reach(tree, nodes, centre, reach)
    boxes, inside = np.column_stack([tree.boxes[nodes] - np.tile(centre, 2), reach]), nodes
    packs, insides, d, first = [], [], len(centre), 0
    while True:
        count = -(-len(boxes) // _PACK)
        packs.append(_packed(boxes, d))
        insides.append(np.concatenate([inside, np.zeros(count * _PACK - len(inside), np.int64)]))
        if count == 1:
            break
        lowest, highest = packs[-1][:, :d].min(axis=2), packs[-1][:, d:].max(axis=2)
        boxes, inside = np.concatenate([lowest, highest], axis=1), -1 - np.arange(first, first + count)
        first += count
    everything = np.concatenate(insides)
    above, enclosing = np.full(first + 1, -1), np.flatnonzero(everything < 0)
    above[-1 - everything[enclosing]] = enclosing
    size = len(everything)
    return Outline(
        centre,
        np.concatenate(packs),
        everything,
        above,
        tree.start[nodes],
        np.zeros(first + 1, np.bool_),
        np.full(_KNOWN, -1),
        np.empty(size),
        np.empty(size, np.int64),
        *np.empty((2, _PACK)),
    )


def _packed(boxes: Floats, d: int) -> Floats:
    """Boxes, one per row, in packs; what is left of the last pack is empty."""
    rest = np.full((-len(boxes) % _PACK, 2 * d + 1), -np.inf)
    rest[:, :d] = np.inf
    full = np.concatenate([boxes, rest]).reshape(-1, _PACK, 2 * d + 1)
    return np.ascontiguousarray(full.transpose(0, 2, 1))


@jit
def find_farthest(tree: RemovalTree, outline: Outline, point: Floats) -> int:
    """The remaining record farthest from a point; -1 if none remains."""
    best, record = _best_known(tree, outline, point)
    waiting = _open(outline, len(outline.packs) - 1, point, best, ZERO)
    while waiting > 0:
        waiting -= 1
        place = outline.places[waiting]
        if outline.keys[waiting] < best:
            continue
        inside = outline.inside[place]
        if inside < 0:
            waiting = _open(outline, -1 - inside, point, best, waiting)
            continue
        distance, candidate = farthest_in_leaf(tree, inside, point)
        if distance > best or (distance == best and candidate < record):
            best, record = distance, candidate
        if distance > _CLOSE * best:
            outline.known[candidate % _KNOWN] = candidate
        _measure_again(tree, outline, place)
    return record


@jit_part
def _best_known(tree: RemovalTree, outline: Outline, point: Floats) -> tuple[float, int]:
    """Squared distance and record farthest from a point among those that earlier queries found far out."""
    best, record = -1.0, MINUS_ONE
    for i in range(_KNOWN):
        candidate = outline.known[i]
        if candidate < 0:
            continue
        slot = tree.slot[candidate]
        if slot < 0:
            outline.known[i] = -1
            continue
        distance = distance_of_row(tree.points, slot, point)
        if distance > best or (distance == best and candidate < record):
            best, record = distance, candidate
    return best, record


@jit_part
def farthest_in_leaf(tree: RemovalTree, leaf: int, point: Floats) -> tuple[float, int]:
    """Squared distance and record farthest from a point in one leaf; (-1, -1) if the leaf is empty."""
    best, record = -1.0, MINUS_ONE
    for slot in range(tree.start[leaf], last_to_visit(tree, leaf, np.int64(1))):
        distance = distance_of_row(tree.points, slot, point)
        if distance > best or (distance == best and tree.ids[slot] < record):
            best, record = distance, tree.ids[slot]
    return best, record


@jit
def _measure_reach(tree: RemovalTree, nodes: Integers, centre: Floats, reach: Floats) -> None:
    for leaf in range(len(nodes)):
        reach[leaf], _ = farthest_in_leaf(tree, nodes[leaf], centre)


@jit_part
def _measure_again(tree: RemovalTree, outline: Outline, place: int) -> None:
    """Measure the leaf at a place if it has lost records."""
    node, d = outline.inside[place], len(outline.centre)
    start = tree.start[node]
    if start == outline.starts[place]:
        return
    outline.starts[place] = start
    pack, column = place // _PACK, place % _PACK
    is_empty = start == tree.end[node]
    for j in range(d):
        outline.packs[pack, j, column] = np.inf if is_empty else tree.boxes[node, j] - outline.centre[j]
        outline.packs[pack, d + j, column] = -np.inf if is_empty else tree.boxes[node, d + j] - outline.centre[j]
    reach, _ = farthest_in_leaf(tree, node, outline.centre)
    outline.packs[pack, 2 * d, column] = -np.inf if is_empty else reach
    outline.is_loose[pack] = True


@jit_part
def _enclose(outline: Outline, pack: int) -> None:
    """Measure the box around a pack again."""
    d, packs, place = len(outline.centre), outline.packs, outline.above[pack]
    outline.is_loose[pack] = False
    if place < 0:
        return
    above, column = place // _PACK, place % _PACK
    for j in range(2 * d + 1):
        bound = packs[pack, j, 0]
        for i in range(1, _PACK):
            value = packs[pack, j, i]
            bound = value if (value < bound) == (j < d) else bound
        if packs[above, j, column] != bound:
            packs[above, j, column] = bound
            outline.is_loose[above] = True


@jit_part
def _open(outline: Outline, pack: int, point: Floats, best: float, waiting: int) -> int:
    """Stack the boxes of a pack whose squared distances from a point may reach `best`; returns the stack's size."""
    if outline.is_loose[pack]:
        _enclose(outline, pack)
    _bound(outline, pack, point)
    keys, places, bounds, top = outline.keys, outline.places, outline.bounds, waiting
    for i in range(_PACK):
        if bounds[i] >= best and bounds[i] > -np.inf:
            keys[waiting], places[waiting] = bounds[i], pack * _PACK + i
            if bounds[i] > keys[top]:
                top = waiting
            waiting += 1
    if waiting > top:  # the most promising one comes first
        last = waiting - 1
        keys[last], keys[top] = keys[top], keys[last]
        places[last], places[top] = places[top], places[last]
    return waiting


@jit_part
def _bound(outline: Outline, pack: int, point: Floats) -> None:
    """Bound the squared distances of a pack's boxes from a point; empty ones get -inf.

    Written without max and min, whose treatment of NaN would keep the loops from being vectorised.
    """
    bounds, gaps, packs, d = outline.bounds, outline.gaps, outline.packs, len(point)
    for i in range(_PACK):
        bounds[i] = gaps[i] = 0.0
    squares = 0.0
    for j in range(d):
        outward = outline.centre[j] - point[j]
        squares += outward * outward
        low, high = packs[pack, j], packs[pack, d + j]
        side = high if outward > 0.0 else low
        for i in range(_PACK):
            bounds[i] += side[i] * outward
            below, above = low[i] - outward, outward - high[i]
            gap = below if below > above else above
            gap = gap if gap > 0.0 else 0.0
            gaps[i] += gap * gap
    reach = packs[pack, 2 * d]
    slack, grain = 1.0 + 1e-12 * d, 1e-315 * d  # allow for rounding, also of denormal numbers
    for i in range(_PACK):
        farthest = (reach[i] + squares) * slack + grain
        by_box, by_sphere = 2.0 * bounds[i], farthest - gaps[i]
        bounds[i] = farthest + (by_box if by_box < by_sphere else by_sphere)
