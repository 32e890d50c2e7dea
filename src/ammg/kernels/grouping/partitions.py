"""Properties of a partition of records into groups: centroids, within-group sums of squares.

A partition is an array with the group of each record; groups are numbered from 0 without gaps.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.threads import in_threads

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def centroids(data: Floats, group: Integers, weights: Floats | None = None) -> Floats:
    """Mean of each group and column, over the values that are not missing, weighted if weights are given.

    A group of equal values keeps that value exactly. If all its weights are zero, a group has its unweighted mean; a
    group without a value in a column has a missing mean there.
    """
    groups = int(group.max(initial=-1)) + 1
    means = np.full((groups, data.shape[1]), np.nan)
    sizes = np.bincount(group, minlength=groups).astype(np.float64)

    def average(j: int) -> None:
        seen = ~np.isnan(data[:, j])
        everything = bool(seen.all())
        values, of = (data[:, j], group) if everything else (data[seen, j], group[seen])
        anchor = np.full(groups, np.nan)
        anchor[of[::-1]] = values[::-1]  # first value of each group: sums of differences keep equal values exact
        apart = values - anchor[of]
        counts = sizes if everything else np.bincount(of, minlength=groups).astype(np.float64)
        total = np.bincount(of, apart, groups)
        if weights is not None:
            masses = weights if everything else weights[seen]
            mass = np.bincount(of, masses, groups)
            total = np.where(mass > 0.0, np.bincount(of, masses * apart, groups), total)
            counts = np.where(mass > 0.0, mass, counts)
        means[:, j] = anchor + np.divide(total, counts, out=np.zeros(groups), where=counts > 0.0)

    in_threads(average, range(data.shape[1]), data.size)
    return means


def within_squares(data: Floats, group: Integers) -> float:
    """Sum of squares of the records about their group's centroid (SSE), over the values that are not missing."""
    return float(np.nansum((data - centroids(data, group)[group]) ** 2))


def information_loss(data: Floats, group: Integers) -> float:
    """100 SSE/SST: the share of the standardised columns' variance lost by replacing records by centroids.

    Constant columns are ignored (Domingo-Ferrer and Mateo-Sanz 2002).
    """
    deviations = np.nanstd(data, axis=0, ddof=1)
    varying = deviations > 0
    standardised = (data[:, varying] - np.nanmean(data[:, varying], axis=0)) / deviations[varying]
    total = float(np.nansum(standardised**2))
    return 100.0 * within_squares(standardised, group) / total if total > 0 else 0.0
