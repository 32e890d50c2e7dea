"""Noise whose sample moments are exactly as wanted, not only in expectation.

The variates are made orthogonal to the file and white, then coloured: mean(Z) = mean(X), cov(X, E) = 0 and
cov(X + √d E) = (1 + d) cov(X) hold up to rounding, so an analyst of means and covariances loses nothing that the factor
1 + d does not restore.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.pairwise import pairwise_moments
from ammg.kernels.psd import Root, psd_factor
from ammg.kernels.whitening import orthonormal_scores, remove_scores, whiten

Floats = NDArray[np.float64]


def exact_correlated(variates: Floats, records: Floats, root: Root = "eig", weights: Floats | None = None) -> Floats:
    """Turn n x m variates into noise with mean zero, the covariance of the records, and no correlation with them.

    Raises:
        ValueError: fewer records than n - 1 >= rank + m requires, or a missing value.
    """
    scores = orthonormal_scores(records, weights)
    n, columns = records.shape
    if n - 1 < scores.rank + columns:
        raise ValueError(
            f"Exact noise on {columns} columns of rank {scores.rank} needs at least {scores.rank + columns + 1} "
            f"records; there are {n}."
        )
    white = whiten(remove_scores(variates, scores, weights), weights)
    return np.asarray(white @ psd_factor(pairwise_moments(records, weights).cov, root).T)
