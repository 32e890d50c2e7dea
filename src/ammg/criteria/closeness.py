"""t-closeness: how far the sensitive attribute in each class is from its distribution in the file.

Li, Li and Venkatasubramanian (2007), t-Closeness: Privacy Beyond k-Anonymity and l-Diversity, ICDE. Each function
returns the earth mover's distance of every class, between 0 and 1; 0 where no value of the class is known.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ammg.criteria.distributions import ClassDistributions


def equal_distance(distributions: ClassDistributions) -> NDArray[np.float64]:
    """All values are equally far apart: half the sum of absolute differences."""
    overall = distributions.overall[distributions.values]
    present = np.abs(distributions.shares - overall) - overall
    return _where_known(distributions, (distributions.sum_by_class(present) + 1.0) / 2.0)


def ordered_distance(distributions: ClassDistributions) -> NDArray[np.float64]:
    """Values in the order of their codes, neighbours 1/(m-1) apart."""
    file = np.cumsum(distributions.overall)
    sums = np.concatenate([np.zeros(1), np.cumsum(file)])
    classes, values, shares = distributions.classes, distributions.values, distributions.shares
    first = distributions.begins
    running = np.cumsum(shares)
    # cumulative share within the class: subtract what earlier classes added
    before = (running - shares)[first][np.cumsum(first) - 1]
    upto = running - before
    ends = np.where(np.append(first[1:], True), distributions.n_values, np.append(values[1:], 0))
    # between two values of the class its distribution is flat while that of the file rises: they cross at most once
    cross = np.clip(np.searchsorted(file, upto, side="right"), values, ends)
    above = upto * (cross - values) - (sums[cross] - sums[values])
    below = (sums[ends] - sums[cross]) - upto * (ends - cross)
    gaps = above + below + np.where(first, sums[values], 0.0)
    distance = np.bincount(classes, weights=gaps, minlength=distributions.n_classes)
    return _where_known(distributions, np.asarray(distance / max(1, distributions.n_values - 1), np.float64))


def hierarchical_distance(
    distributions: ClassDistributions, levels: Sequence[NDArray[np.int32]]
) -> NDArray[np.float64]:
    """Values in a tree: their distance is the height of their lowest common ancestor over that of the root.

    Args:
        distributions: The sensitive attribute by class.
        levels: For each level of the hierarchy above the values, the ancestor of each *value* at that level, as codes;
            the last level is the root; if it is not, a root is added.
    """
    tree = [np.arange(distributions.n_values, dtype=np.int32), *levels]
    if tree[-1].size and tree[-1].max() > 0:
        tree.append(np.zeros(distributions.n_values, np.int32))
    height = len(tree) - 1
    members = [_members(nodes) for nodes in tree]
    parents = [_parents(tree[h], tree[h + 1]) for h in range(height)]
    distance = np.zeros(distributions.n_classes)
    for rows, shares in distributions.dense_blocks():
        extra = shares - distributions.overall
        for h in range(height):
            at_level = extra @ members[h]
            surplus = np.maximum(at_level, 0.0) @ parents[h]
            deficit = np.maximum(-at_level, 0.0) @ parents[h]
            # mass moved between children of a node travels the height of that node
            distance[rows] += (h + 1) / height * np.minimum(surplus, deficit).sum(axis=1)
    return _where_known(distributions, distance)


def _members(nodes: NDArray[np.int32]) -> NDArray[np.float64]:
    """Indicator of the node of each value, values in rows."""
    indicator = np.zeros((nodes.size, int(nodes.max(initial=-1)) + 1))
    indicator[np.arange(nodes.size), nodes] = 1.0
    return indicator


def _parents(children: NDArray[np.int32], parents: NDArray[np.int32]) -> NDArray[np.float64]:
    """Indicator of the parent of each node; raises an error if values of one node have different parents."""
    indicator = np.zeros((int(children.max(initial=-1)) + 1, int(parents.max(initial=-1)) + 1))
    indicator[children, parents] = 1.0
    if np.any(indicator.sum(axis=1) > 1):
        raise ValueError("A node of the hierarchy has two parents: values merged at one level stay merged above it.")
    return indicator


def _where_known(distributions: ClassDistributions, distance: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(distributions.totals > 0, np.clip(distance, 0.0, 1.0), 0.0)
