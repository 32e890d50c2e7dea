"""Search without a tree: every record is compared with every point, with nothing to compile.

Compiling a search by tree takes seconds; so a process compares all pairs as long as that costs less, and a single
evaluation of a small file compiles nothing. The distances are those of `kd_tree`, bit by bit: the terms are added in
the order of the columns.
"""

from __future__ import annotations

import numpy as np

from ammg.kernels.kd_tree import ABSOLUTE, SQUARED, Floats, Ints, KdTree

FEW = 8_000_000  # coordinates of all pairs in one search: they take a few hundredths of a second

_BLOCK = 1 << 16


class Budget:
    """How many coordinates may still be compared before a tree is worth compiling."""

    def __init__(self, left: int) -> None:
        self.left = left

    def allows(self, coordinates: int) -> bool:
        """Whether a search may compare all pairs; it is then charged for them."""
        if coordinates > min(FEW, self.left):
            return False
        self.left -= coordinates
        return True


budget = Budget(100_000_000)
"""That of this process."""


def leaf(points: Floats, counts: Ints, kinds: Ints, weights: Floats) -> KdTree:
    """A tree with one node, for searches that visit every point."""
    one, none = np.array([len(points)]), np.zeros(1, dtype=np.int64)
    box = np.full((1, points.shape[1]), np.inf)
    rows = np.arange(len(points), dtype=np.int64)
    return KdTree(points, rows, counts, kinds, weights, none, one, none, none, -box, box, 0)


def is_leaf(tree: KdTree) -> bool:
    """Whether the tree has one node, so that a search visits every point."""
    return len(tree.first) == 1


def _blocks(tree: KdTree, records: Floats) -> list[slice]:
    """Runs of records whose distances from all points fit into the processor's cache."""
    size = max(1, _BLOCK // max(1, len(tree.points)))
    return [slice(start, start + size) for start in range(0, len(records), size)]


def _distances(tree: KdTree, records: Floats) -> Floats:
    """Records × points of the tree."""
    points = np.ascontiguousarray(tree.points.T)
    return _row_distances(records.T[:, :, None], points[:, None, :], tree.kinds, tree.weights)


def _row_distances(one: Floats, other: Floats, kinds: Ints, weights: Floats) -> Floats:
    """The distance of `kd_tree.distance`; the arrays have one item per column and are broadcast against each other."""
    total = np.zeros(np.broadcast_shapes(one.shape[1:], other.shape[1:]))
    gap, missing = np.empty_like(total), np.zeros(total.shape, dtype=np.int64)
    complete = bool(np.isfinite(one).all() and np.isfinite(other).all())
    for a, b, kind, weight in zip(one, other, kinds.tolist(), weights.tolist(), strict=True):
        with np.errstate(invalid="ignore"):  # infinity less infinity is missing
            np.subtract(a, b, out=gap)
        if not complete:
            lacks = np.isnan(gap)
            missing += lacks
            gap[lacks] = 0.0
        if kind == SQUARED:
            gap *= gap
        elif kind == ABSOLUTE:
            np.abs(gap, out=gap)
        else:
            np.not_equal(gap, 0.0, out=gap)
            if weight != 1.0:
                gap[gap != 0.0] = weight
        total += gap
    if complete:
        return total
    seen = len(kinds) - missing
    scaled = total * len(kinds) / np.maximum(seen, 1)
    return np.where(seen == 0, np.inf, np.where(missing == 0, total, scaled))


def truth_distances(tree: KdTree, points: Floats, records: Floats, truth: Ints) -> Floats:
    """The distance of each record from the point that is its original; -1 where there is none."""
    exact, known = np.full(len(records), -1.0), np.flatnonzero(truth >= 0)
    exact[known] = _row_distances(records[known].T, points[truth[known]].T, tree.kinds, tree.weights)
    return exact


def tying(exact: Floats, squared: bool, tolerance: float, slack: float, flat: float) -> tuple[Floats, Floats]:
    """The smallest and largest distances that count as equal to these.

    `slack` is the rounding error of a number whose difference is squared, `flat` that of the sum of the others.
    """
    exact = np.maximum(exact, 0.0)
    if squared:
        root = np.sqrt(exact)
        return np.maximum(root * (1.0 - tolerance) - slack, 0.0) ** 2, (root * (1.0 + tolerance) + slack) ** 2
    finite = np.where(exact < np.inf, exact, 0.0)
    width = finite * tolerance + (2.0 * np.sqrt(finite) + slack) * slack + flat
    return exact - width, exact + width


def count_nearer(tree: KdTree, records: Floats, inner: Floats, outer: Floats) -> tuple[Ints, Ints]:
    """Records at points nearer than `inner`, and from `inner` to `outer`."""
    counts = tree.counts.astype(np.float64)
    nearer, within = np.zeros(len(records)), np.zeros(len(records))
    for rows in _blocks(tree, records):
        found = _distances(tree, records[rows])
        nearer[rows] = (found < inner[rows, None]) @ counts
        within[rows] = (found <= outer[rows, None]) @ counts
    return nearer.astype(np.int64), (within - nearer).astype(np.int64)


def two_smallest(tree: KdTree, records: Floats) -> tuple[Ints, Floats]:
    """Rows and distances of the two nearest points, nearest first; row -1 at infinity without one."""
    rows, found = np.full((len(records), 2), -1, dtype=np.int64), np.full((len(records), 2), np.inf)
    for block in _blocks(tree, records):
        apart = _distances(tree, records[block])
        each = np.arange(len(apart))
        for place in range(min(2, len(tree.points))):
            nearest = np.argmin(apart, axis=1)
            found[block, place] = apart[each, nearest]
            rows[block, place] = np.where(np.isfinite(found[block, place]), tree.rows[nearest], -1)
            apart[each, nearest] = np.inf
    return rows, found
