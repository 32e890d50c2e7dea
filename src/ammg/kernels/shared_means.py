"""What records of a group release: z-scores to group them by, and means that at least k records share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.partitions import centroids
from ammg.kernels.univariate_groups import microaggregate_column

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def standard_scores(values: Floats) -> Floats:
    """Columns less their mean, over their standard deviation; a constant column becomes zero, missing values stay."""
    scores = np.array(values, dtype=np.float64)
    for j in range(scores.shape[1]):
        seen = ~np.isnan(scores[:, j])
        observed = scores[seen, j]
        spread = float(observed.std(ddof=1)) if len(observed) > 1 else 0.0
        # The spread of equal large numbers is rounding, not information.
        varies = spread > 1e-13 * float(np.abs(observed).max(initial=0.0))
        scores[seen, j] = (observed - observed.mean()) / spread if varies else 0.0
    return scores


def shared_means(values: Floats, group: Integers, k: int, weights: Floats | None = None) -> Floats:
    """Replace values by the (weighted) mean of their group's observed values; missing values stay.

    A mean of fewer than k values says too much about them. Such values are taken out of their groups and grouped anew,
    column by column, with the nearest group beside them where they alone are fewer than k. So every mean is one of at
    least k values, and totals are kept.
    """
    masked = centroids(values, group, weights)[group]
    missing = np.isnan(values)
    masked[missing] = np.nan
    for j in np.flatnonzero(missing.any(axis=0)):
        seen = ~missing[:, j]
        counts = np.bincount(group[seen], minlength=int(group.max()) + 1)
        few = seen & (counts[group] < k)
        if not few.any():
            continue
        if few.sum() < k:
            few |= seen & (group == _nearest_full_group(masked[:, j], group, few, seen))
        mass = None if weights is None else weights[few]
        masked[few, j] = microaggregate_column(values[few, j], k, weights=mass)
    return masked


def _nearest_full_group(means: Floats, group: Integers, few: NDArray[np.bool_], seen: NDArray[np.bool_]) -> int:
    full = np.flatnonzero(seen & ~few)
    if not len(full):
        raise ValueError("Fewer than k values are observed in a column.")
    return int(group[full[np.argmin(np.abs(means[full] - means[few].mean()))]])
