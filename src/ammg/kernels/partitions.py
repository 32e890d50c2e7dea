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
    rows = np.require(data, np.float64, ["C", "W"])
    masses = np.ones(1) if weights is None else np.require(weights, np.float64, ["C", "W"])
    shape = (int(group.max(initial=-1)) + 1, rows.shape[1])
    means = np.full(shape, np.nan)
    labels = np.require(group, np.int64, ["C", "W"])
    _fill_centroids(rows, labels, masses, weights is not None, means, np.zeros((4, *shape)))
    return means


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
def _fill_centroids(
    data: Floats, group: Integers, weights: Floats, weighted: bool, anchor: Floats, sums: Floats
) -> None:
    """Write the means over `anchor`; sums of differences from a member keep equal values exact."""
    n, d = data.shape
    for i in range(n):
        g = group[i]
        w = weights[i] if weighted else 1.0
        for j in range(d):
            value = data[i, j]
            if value != value:
                continue
            if sums[0, g, j] == 0.0:
                anchor[g, j] = value
            sums[0, g, j] += 1.0
            sums[1, g, j] += value - anchor[g, j]
            sums[2, g, j] += w
            sums[3, g, j] += w * (value - anchor[g, j])
    for g in range(anchor.shape[0]):
        for j in range(d):
            if sums[2, g, j] > 0.0:
                anchor[g, j] += sums[3, g, j] / sums[2, g, j]
            elif sums[0, g, j] > 0.0:
                anchor[g, j] += sums[1, g, j] / sums[0, g, j]
