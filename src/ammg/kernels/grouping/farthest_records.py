"""The record farthest from a point, among those that remain in a tree.

Boxes alone tell little about great distances: in several dimensions their corners are far out and empty. So each leaf
also knows its reach, the greatest distance of its records from one centre. With y = x - centre and w = centre - point,

    |x - point|² = |y|² + 2 y·w + |w|² = 2|y|² + 2|w|² - |y - w|²,

where the reach bounds |y|² and the box the rest. Bounds of many leaves are computed at once, coordinate by coordinate,
for which an outline keeps its own copy of the boxes. A leaf that lost records is measured again when a query meets it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.grouping.removal_tree import RemovalTree, distance_of_row, last_to_visit
from ammg.kernels.jit import MINUS_ONE, ZERO, jit, jit_part

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_BLOCK = 32  # leaves per block


class Boxes(NamedTuple):
    """Parts of space: lowest and highest coordinates, one row per coordinate, and the squared reach (-inf if empty)."""

    low: Floats
    high: Floats
    reach: Floats


class Outline(NamedTuple):
    """The leaves of a tree, and blocks of neighbouring leaves."""

    centre: Floats
    nodes: Integers  # of the leaves
    starts: Integers  # the first slot of each leaf when it was measured
    leaves: Boxes
    blocks: Boxes
    is_loose: NDArray[np.bool_]  # whether leaves of a block were measured after the block
    block_bounds: Floats  # working memory
    leaf_bounds: Floats
    along: Floats
    gaps: Floats


def draw_outline(tree: RemovalTree, centre: Floats) -> Outline:
    """The outline of a tree that has lost no record yet."""
    nodes = np.flatnonzero(tree.right == 0)
    low, high = np.ascontiguousarray(tree.boxes[nodes].T).reshape(2, len(centre), len(nodes))
    firsts = np.arange(0, len(nodes), _BLOCK)
    leaves = Boxes(low, high, np.empty(len(nodes)))
    _measure_reach(tree, nodes, centre, leaves.reach)
    blocks = Boxes(
        np.minimum.reduceat(low, firsts, axis=1),
        np.maximum.reduceat(high, firsts, axis=1),
        np.maximum.reduceat(leaves.reach, firsts),
    )
    size = max(len(firsts), _BLOCK)
    room = np.empty(len(firsts)), np.empty(_BLOCK), np.empty(size), np.empty(size)
    return Outline(centre, nodes, tree.start[nodes], leaves, blocks, np.zeros(len(firsts), np.bool_), *room)


@jit
def find_farthest(tree: RemovalTree, outline: Outline, point: Floats) -> int:
    """The remaining record farthest from a point; -1 if none remains."""
    blocks, leaves = outline.block_bounds, outline.leaf_bounds
    first = _fill_bounds(outline, outline.blocks, ZERO, len(blocks), point, blocks)
    best, record = -1.0, MINUS_ONE
    for turn in range(-1, len(blocks)):
        block = first if turn < 0 else turn
        if blocks[block] < best or turn == first:
            continue
        begin, end = block * _BLOCK, min((block + 1) * _BLOCK, len(outline.nodes))
        likely = _fill_bounds(outline, outline.leaves, begin, end, point, leaves)
        if leaves[likely] < best:
            if outline.is_loose[block]:
                _enclose_block(outline, block, begin, end)
            continue
        for place in range(-1, end - begin):
            leaf = likely if place < 0 else place
            if leaves[leaf] < best or place == likely:
                continue
            distance, candidate = farthest_in_leaf(tree, outline.nodes[begin + leaf], point)
            if distance > best or (distance == best and candidate < record):
                best, record = distance, candidate
            outline.is_loose[block] |= _measure_again(tree, outline, begin + leaf)
    return record


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
def _measure_again(tree: RemovalTree, outline: Outline, leaf: int) -> bool:
    """Measure a leaf that has lost records; returns whether it has."""
    node, d = outline.nodes[leaf], len(outline.centre)
    start = tree.start[node]
    if start == outline.starts[leaf]:
        return False
    outline.starts[leaf] = start
    if start == tree.end[node]:
        outline.leaves.reach[leaf] = -np.inf
        return True
    outline.leaves.reach[leaf], _ = farthest_in_leaf(tree, node, outline.centre)
    for j in range(d):
        outline.leaves.low[j, leaf], outline.leaves.high[j, leaf] = tree.boxes[node, j], tree.boxes[node, d + j]
    return True


@jit_part
def _enclose_block(outline: Outline, block: int, begin: int, end: int) -> None:
    """Measure a block by its leaves; empty ones keep their last box, which does no harm."""
    leaves, blocks = outline.leaves, outline.blocks
    for j in range(len(outline.centre)):
        low, high = leaves.low[j, begin], leaves.high[j, begin]
        for leaf in range(begin + 1, end):
            low = leaves.low[j, leaf] if leaves.low[j, leaf] < low else low
            high = leaves.high[j, leaf] if leaves.high[j, leaf] > high else high
        blocks.low[j, block], blocks.high[j, block] = low, high
    reach = leaves.reach[begin]
    for leaf in range(begin + 1, end):
        reach = leaves.reach[leaf] if leaves.reach[leaf] > reach else reach
    blocks.reach[block] = reach
    outline.is_loose[block] = False


@jit_part
def _fill_bounds(outline: Outline, boxes: Boxes, begin: int, end: int, point: Floats, bounds: Floats) -> int:
    """Bound the squared distances of the boxes begin..end from a point; returns the number of the greatest bound.

    Written without max and min, whose treatment of NaN would keep the loops from being vectorised.
    """
    along, gaps, reach = outline.along, outline.gaps, boxes.reach[begin:end]
    size = len(reach)
    for i in range(size):
        along[i] = gaps[i] = 0.0
    squared = 0.0
    for j in range(len(point)):
        centre, outward = outline.centre[j], outline.centre[j] - point[j]
        antipode = centre + outward
        squared += outward * outward
        low, high = boxes.low[j, begin:end], boxes.high[j, begin:end]
        for i in range(size):
            from_low, from_high = (low[i] - centre) * outward, (high[i] - centre) * outward
            along[i] += from_low if from_low > from_high else from_high
            below, above = low[i] - antipode, antipode - high[i]
            gap = below if below > above else above
            gap = gap if gap > 0.0 else 0.0
            gaps[i] += gap * gap
    slack = 1.0 + 1e-12 * len(point)  # allows for rounding
    for i in range(size):
        squares = (reach[i] + squared) * slack
        by_box, by_sphere = 2.0 * along[i], squares - gaps[i]
        bounds[i] = squares + (by_box if by_box < by_sphere else by_sphere)
    greatest = 0
    for i in range(1, size):
        if bounds[i] > bounds[greatest]:
            greatest = i
    return greatest
