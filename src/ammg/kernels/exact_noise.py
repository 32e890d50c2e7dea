"""Noise whose sample moments are exactly the ones wanted, not only in expectation.

The variates are made orthogonal to the file and white, then coloured: mean(Z) = mean(X), cov(X, E) = 0 and
cov(X + √d E) = (1 + d) cov(X) hold to rounding, so an analyst of means and covariances loses nothing that the factor
1 + d does not give back.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.pairwise import pairwise_moments
from ammg.kernels.psd import Root, psd_factor
from ammg.kernels.whitening import orthonormal_scores, remove_scores, whiten

Floats = NDArray[np.float64]


def exact_correlated(variates: Floats, records: Floats, root: Root = "eig", weights: Floats | None = None) -> Floats:
    """Turn n x m variates into noise with the mean zero, the covariance of the records and none with them.

    Raises:
        ValueError: fewer records than n - 1 >= rank + m asks for, or a missing value.
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


def exact_independent(variates: Floats, records: Floats, weights: Floats | None = None) -> Floats:
    """Give each column of variates the mean zero, variance one and no correlation with its column of records.

    Raises:
        ValueError: fewer than three records, a missing value, or variates that the record determines.
    """
    if len(records) < 3:
        raise ValueError(f"Exact noise on one column needs at least 3 records; there are {len(records)}.")
    if not np.isfinite(records).all():
        raise ValueError("Exact moments need complete records: some values are missing or infinite.")
    weight = np.ones(len(records)) if weights is None else weights
    share = weight / weight.sum()
    centred = records - share @ records
    energy = share @ centred**2
    residual = variates - share @ variates
    for _ in range(2):
        slope = np.divide(share @ (centred * residual), energy, out=np.zeros_like(energy), where=energy > 0)
        residual = residual - slope * centred
        residual = residual - share @ residual
    divisor = 1.0 - float((share**2).sum())
    spread = np.sqrt(share @ residual**2 / divisor)
    if (spread <= 1e-10 * np.abs(variates).max(axis=0)).any():
        raise ValueError("The variates of a column have no part that is independent of the records.")
    return np.asarray(residual / spread)
