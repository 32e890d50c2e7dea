"""A covariance that outliers do not move: the orthogonalised estimator of Gnanadesikan and Kettenring."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

CONSISTENT = 1.4826
"""Makes the median absolute deviation of normal numbers their standard deviation."""


def median_deviation(values: Floats) -> Floats:
    """The median absolute deviation of each column, scaled to the standard deviation of normal numbers."""
    return np.asarray(CONSISTENT * np.median(np.abs(values - np.median(values, axis=0)), axis=0))


def robust_covariance(values: Floats) -> Floats:
    """Estimate a covariance matrix from medians and median deviations; no value may be missing.

    Covariances of pairs from the spread of sums and differences (Gnanadesikan and Kettenring 1972), then the spread
    along the principal axes of that matrix, which makes it positive semi-definite (Maronna and Zamar 2002).
    """
    columns = values.shape[1]
    scale = median_deviation(values)
    scale = np.where(scale > 0, scale, 1.0)
    standard = values / scale
    pairs = np.diag(median_deviation(standard) ** 2)
    for j in range(columns):
        for k in range(j):
            together = np.column_stack([standard[:, j] + standard[:, k], standard[:, j] - standard[:, k]])
            plus, minus = median_deviation(together) ** 2
            pairs[j, k] = pairs[k, j] = (plus - minus) / 4
    _, axes = np.linalg.eigh(pairs)
    spread = median_deviation(standard @ axes) ** 2
    back = axes * scale[:, None]
    return np.asarray((back * spread) @ back.T)
