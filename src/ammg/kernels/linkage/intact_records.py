"""Whether a target's own values appear in the release, intact or nearly so, whoever the record belongs to.

A record equal to the target on everything that is known discloses the target even if it was made from another person,
or from nobody. If c people share these values, each is disclosed with probability 1/c.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.jit import jit
from ammg.kernels.kd_tree import KdTree, stack_of
from ammg.kernels.linkage.nearest import tree_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

ENOUGH = 1000  # counting stops here: probabilities of a thousandth or less are not distinguished


@dataclass(frozen=True, eq=False)
class Files:
    """Both files, in which targets can be looked for with several tolerances; their trees grow once, when needed."""

    original: Floats
    masked: Floats

    @cached_property
    def _people(self) -> KdTree:
        return tree_of(self.original)

    @cached_property
    def _records(self) -> KdTree:
        return tree_of(self.masked)

    def shows(self, targets: Floats, tolerance: Floats) -> Bools:
        """Whether a record within `tolerance` of each target on every column (codes: tolerance 0) is released.

        A value missing in the release agrees with nothing: suppression protects. A value missing in the original is
        unknown and not compared.
        """
        return count_within(self._records, targets, tolerance, enough=1) > 0

    def alike(self, targets: Floats, tolerance: Floats) -> Ints:
        """The number of people within `tolerance` of each target, itself included, counted up to about a thousand."""
        if not len(targets):
            return np.ones(0, dtype=np.int64)
        return np.maximum(count_within(self._people, targets, tolerance, brief=True), 1)


def count_within(
    tree: KdTree, targets: Floats, tolerance: Floats, *, enough: int = ENOUGH, brief: bool = False
) -> Ints:
    """The number of records in a tree within `tolerance` of each target; counting stops soon after `enough`."""
    targets = np.ascontiguousarray(targets)
    counts = np.zeros(len(targets), dtype=np.int64)

    def work(start: int, stop: int) -> None:
        _count_within(tree, targets[start:stop], tolerance, counts[start:stop], enough, stack_of(tree)[0])

    over_blocks(work, len(targets), brief=brief)
    return counts


@jit
def _count_within(tree: KdTree, records: Floats, tolerance: Floats, counts: Ints, enough: int, stack: Ints) -> None:
    for i in range(len(records)):
        record = records[i]
        stack[0], height = 0, 1
        while height > 0 and counts[i] < enough:
            height -= 1
            node = stack[height]
            if _misses(record, tree.low[node], tree.high[node], tolerance):
                continue
            if tree.right[node] > 0:
                stack[height], stack[height + 1] = tree.left[node], tree.right[node]
                height += 2
                continue
            for p in range(tree.first[node], tree.last[node]):
                if _agrees(record, tree.points[p], tolerance):
                    counts[i] += tree.counts[p]


@jit
def _misses(record: Floats, low: Floats, high: Floats, tolerance: Floats) -> bool:
    """Whether no point of the box can agree; comparisons with NaN are False, so unknown values exclude nothing."""
    missed = False
    for j in range(len(record)):
        missed |= low[j] - record[j] > tolerance[j] or record[j] - high[j] > tolerance[j]
    return missed


@jit
def _agrees(record: Floats, point: Floats, tolerance: Floats) -> bool:
    for j in range(len(record)):
        if record[j] != record[j]:
            continue
        if not abs(record[j] - point[j]) <= tolerance[j]:
            return False
    return True
