"""l-diversity: how many values of a sensitive attribute are well represented in each equivalence class.

Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007), l-Diversity: Privacy Beyond k-Anonymity, ACM TKDD 1(1).
Every function returns the largest l that each class satisfies; infinite where no value of the class is known,
because there is nothing to learn.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ammg.criteria.distributions import ClassDistributions
from ammg.kernels.anonymity.cells import Cells, count_cells


def distinct_diversity(distributions: ClassDistributions) -> NDArray[np.float64]:
    """Number of distinct values in each class."""
    return _where_known(distributions, distributions.sum_by_class(np.ones(distributions.counts.size)))


def entropy_diversity(distributions: ClassDistributions) -> NDArray[np.float64]:
    """Exponential of the Shannon entropy in each class: the class is entropy l-diverse for every l up to it."""
    shares = distributions.shares
    entropy = distributions.sum_by_class(-shares * np.log(shares))
    return _where_known(distributions, np.exp(entropy))


def recursive_diversity(distributions: ClassDistributions, c: float) -> NDArray[np.float64]:
    """Largest l for which each class is recursively (c, l)-diverse: r_1 < c (r_l + ... + r_m).

    r_1 >= r_2 >= ... are the counts of the values in the class. 0 if not even l = 1 holds, which requires c <= 1.
    """
    if not c > 0:
        raise ValueError(f"c must be positive; it is {c}.")
    classes = distributions.classes
    base = int(distributions.counts.max(initial=0)) + 1
    falling = np.sort(classes * base - distributions.counts)  # by class, and in it by falling counts
    counts = (classes * base - falling).astype(np.float64)
    starts = np.searchsorted(classes, np.arange(distributions.n_classes + 1))
    sums = np.concatenate([np.zeros(1), np.cumsum(counts)])
    tails = sums[starts[classes + 1]] - sums[:-1]  # r_l + ... + r_m, at the entry of rank l in its class
    largest = counts[starts[classes]]
    # tails fall with l, so the number of ranks that satisfy the inequality is the largest such l
    satisfied = np.bincount(classes, weights=largest < c * tails, minlength=distributions.n_classes)
    return _where_known(distributions, np.asarray(satisfied, np.float64))


def cross_classes(
    classes: NDArray[np.int32], n_classes: int, others: Sequence[NDArray[np.int32]], sizes: Sequence[int]
) -> Cells:
    """Classes that also agree on the other sensitive attributes.

    With several sensitive attributes, diversity of each is required within classes of the keys *and* the remaining
    sensitive attributes (Machanavajjhala et al. 2007); otherwise someone who rules out one value of one attribute may
    learn another attribute exactly.
    """
    return count_cells([classes, *others], [n_classes, *sizes])


def _where_known(distributions: ClassDistributions, diversity: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(distributions.totals > 0, diversity, np.inf)
