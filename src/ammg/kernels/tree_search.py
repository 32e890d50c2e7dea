"""Searches of a k-d tree, in compiled code.

What is computed for every point and node stands in the loops, for plain points as short sums: a call that hands over a
tree or many arrays takes several times as long as the sum itself.
"""

from __future__ import annotations

import numpy as np

from ammg.kernels.jit import jit
from ammg.kernels.kd_tree import (
    Floats,
    Ints,
    KdTree,
    distance,
    distance_to_box,
    distance_to_farthest,
    squared_distance,
    squared_distance_to_box,
)

TINY = np.finfo(np.float64).tiny  # added so that points at distance 0 still tie


@jit
def count_nearer_points(  # noqa: C901 (calls would cost more than they do)
    tree: KdTree,
    upto: Ints,
    records: Floats,
    plain: bool,
    exact: Floats,
    inside: Floats,
    outside: Floats,
    depth: int,
    nearer: Ints,
    tied: Ints,
    stack: Ints,
    bounds: Floats,
) -> None:
    """Count records nearer than `inside`, added to `nearer`, and as near as `outside`, until there are `depth` nearer.

    `upto` is the number of records before each point of the tree, `plain` whether tree and records are (`are_plain`);
    `stack` and `bounds` are working memory.
    """
    points, low, high, kinds, weights = tree.points, tree.low, tree.high, tree.kinds, tree.weights
    apart = tree.gaps_first
    for i in range(len(records)):
        if exact[i] < 0:
            nearer[i] = depth
            continue
        record, inner, outer = records[i], inside[i], outside[i]
        closer, equal = nearer[i], 0
        stack[0], bounds[0], height = 0, 0.0, 1
        while height > 0 and closer < depth:
            height -= 1
            node = stack[height]
            if bounds[height] > outer:
                continue
            if bounds[height] >= inner and (
                distance_to_farthest(record, low, high, node, kinds, weights, apart) <= outer
            ):
                equal += upto[tree.last[node]] - upto[tree.first[node]]  # all of it ties
                continue
            if tree.right[node] == 0:
                for p in range(tree.first[node], tree.last[node]):
                    if plain:
                        d = squared_distance(record, points, p)
                    else:
                        d = distance(record, points, p, kinds, weights, outer)
                    if d < inner:
                        closer += tree.counts[p]
                    elif d <= outer:
                        equal += tree.counts[p]
                continue
            left, right = tree.left[node], tree.right[node]
            if plain:
                to_left = squared_distance_to_box(record, low, high, left)
                to_right = squared_distance_to_box(record, low, high, right)
            else:
                to_left = distance_to_box(record, low, high, left, kinds, weights, apart)
                to_right = distance_to_box(record, low, high, right, kinds, weights, apart)
            if to_left <= to_right:
                left, right, to_left, to_right = right, left, to_right, to_left
            stack[height], bounds[height] = left, to_left  # the nearer child goes on top of the farther one
            stack[height + 1], bounds[height + 1] = right, to_right
            height += 2
        nearer[i] = min(closer, depth)
        tied[i] = equal if closer < depth else 0


@jit
def find_least(tree: KdTree, price: Floats, least: Floats) -> None:
    """Write the lowest price in each node; children come after their parents."""
    for node in range(len(tree.first) - 1, -1, -1):
        if tree.right[node] > 0:
            least[node] = min(least[tree.left[node]], least[tree.right[node]])
        else:
            least[node] = np.inf
            for p in range(tree.first[node], tree.last[node]):
                least[node] = min(least[node], price[p])


@jit
def find_cheapest(  # noqa: C901 (calls would cost more than they do)
    tree: KdTree,
    price: Floats,
    least: Floats,
    plain: bool,
    records: Floats,
    rows: Ints,
    distances: Floats,
    stack: Ints,
    bounds: Floats,
    within: float,
) -> None:
    """Write the points of least distance plus price; `least` is the lowest price in each node.

    Points beyond `within` times the least distance, if that is finite, need not be found.
    """
    points, low, high, kinds, weights = tree.points, tree.low, tree.high, tree.kinds, tree.weights
    apart = tree.gaps_first
    k = rows.shape[1]
    for i in range(len(records)):
        record, limit = records[i], np.inf
        stack[0], bounds[0], height = 0, 0.0, 1
        while height > 0:
            height -= 1
            node = stack[height]
            if bounds[height] >= limit:
                continue
            if tree.right[node] == 0:
                for p in range(tree.first[node], tree.last[node]):
                    if price[p] >= limit:
                        continue
                    if plain:
                        d = price[p] + squared_distance(record, points, p)
                    else:
                        d = price[p] + distance(record, points, p, kinds, weights, limit - price[p])
                    if d < limit:
                        place = k - 1
                        while place > 0 and distances[i, place - 1] > d:
                            distances[i, place] = distances[i, place - 1]
                            rows[i, place] = rows[i, place - 1]
                            place -= 1
                        distances[i, place], rows[i, place] = d, tree.rows[p]
                        limit = distances[i, k - 1]
                        if within < np.inf:
                            limit = min(limit, distances[i, 0] * within + TINY)
                continue
            left, right = tree.left[node], tree.right[node]
            if plain:
                to_left = squared_distance_to_box(record, low, high, left)
                to_right = squared_distance_to_box(record, low, high, right)
            else:
                to_left = distance_to_box(record, low, high, left, kinds, weights, apart)
                to_right = distance_to_box(record, low, high, right, kinds, weights, apart)
            to_left, to_right = least[left] + to_left, least[right] + to_right
            if to_left <= to_right:
                left, right, to_left, to_right = right, left, to_right, to_left
            stack[height], bounds[height] = left, to_left
            stack[height + 1], bounds[height + 1] = right, to_right
            height += 2
