"""What a partition of records into groups gives and costs: sizes, centroids, within sums of squares.

A partition is the array of the group of each record, groups numbered from 0 without gaps.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def partition_sizes(group: Integers) -> Integers:
    """Number of records of each group."""
    return np.bincount(group).astype(np.int64)


def centroids(data: Floats, group: Integers, weights: Floats | None = None) -> Floats:
    """Mean of each group and column, over the values that are not missing, weighted if weights are given.

    A group whose values are equal keeps that value to the last bit. Values without weight get their plain mean; a group
    without a value in a column has a missing mean there.
    """
    rows = np.ascontiguousarray(data, dtype=np.float64)
    masses = np.ones(1) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    return _centroids(rows, group, masses, weights is not None, int(group.max(initial=-1)) + 1)


def within_squares(data: Floats, group: Integers, weights: Floats | None = None) -> float:
    """Sum of squares of the records about their group's centroid (SSE), over the values that are not missing."""
    squares = (data - centroids(data, group, weights)[group]) ** 2
    if weights is not None:
        squares *= weights[:, None]
    return float(np.nansum(squares))


def information_loss(data: Floats, group: Integers) -> float:
    """100 SSE/SST: the share of the standardised columns' variance that replacing records by centroids takes away.

    Constant columns count for nothing (Domingo-Ferrer and Mateo-Sanz 2002).
    """
    deviations = np.nanstd(data, axis=0, ddof=1)
    varying = deviations > 0
    standardised = (data[:, varying] - np.nanmean(data[:, varying], axis=0)) / deviations[varying]
    total = float(np.nansum(standardised**2))
    return 100.0 * within_squares(standardised, group) / total if total > 0 else 0.0


@jit
def _centroids(data: Floats, group: Integers, weights: Floats, weighted: bool, groups: int) -> Floats:
    n, d = data.shape
    anchor = np.full((groups, d), np.nan)  # summing distances from a member keeps equal values exact
    total = np.zeros((groups, d))
    mass = np.zeros((groups, d))
    plain = np.zeros((groups, d))
    count = np.zeros((groups, d))
    for i in range(n):
        g = group[i]
        w = weights[i] if weighted else 1.0
        for j in range(d):
            value = data[i, j]
            if np.isnan(value):
                continue
            if count[g, j] == 0:
                anchor[g, j] = value
            count[g, j] += 1.0
            mass[g, j] += w
            plain[g, j] += value - anchor[g, j]
            total[g, j] += w * (value - anchor[g, j])
    for g in range(groups):
        for j in range(d):
            if mass[g, j] > 0.0:
                anchor[g, j] += total[g, j] / mass[g, j]
            elif count[g, j] > 0.0:
                anchor[g, j] += plain[g, j] / count[g, j]
    return anchor
