"""Correlations of a masked file with the attenuation by noise taken out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ammg.errors import InputError
from ammg.estimators.records import as_moments, as_noise, as_records
from ammg.kernels.pairwise import Moments

Floats = NDArray[np.float64]


def deattenuated_correlations(masked: Any, noise: Any, weights: Any = None) -> Floats:
    """Estimate the correlations of the original columns from masked ones and the covariance of the noise.

    Spearman's (1904) correction in matrix form: (C - N)_jk / √((C - N)_jj (C - N)_kk). For independent noise of
    standard deviation p s, only the diagonal of `noise` is filled, with p² s². Estimates beyond ±1, which small files
    can give, are set to ±1; a column that varies no more than its noise gets NaN. Missing values are left out pair
    by pair.
    """
    records = as_records(masked)
    return correct_moments(as_moments(records, weights), as_noise(noise, records.values.shape[1]))


def correct_moments(masked: Moments, noise: Floats) -> Floats:
    """The same from the covariance matrix of the masked file."""
    cov = masked.cov - noise
    variances = np.diag(cov)
    scale = np.sqrt(np.where(variances > 0, variances, np.nan))
    correlations = np.clip(cov / np.outer(scale, scale), -1.0, 1.0)
    np.fill_diagonal(correlations, np.where(np.isnan(scale), np.nan, 1.0))
    return np.asarray(correlations)


def independent_noise(masked: Moments | Any, p: float, weights: Any = None) -> Floats:
    """Estimate the noise covariance of a file masked with independent noise of p standard deviations per column.

    `masked` are the records of the whole masked file, or their moments. In a file with weights the noise is
    proportional to weighted deviations: give its `weights`. For a file masked `within` groups, give one group at a
    time.
    """
    if not (p > 0 and np.isfinite(p)):
        raise InputError(f"p, the noise in standard deviations, must be a positive number; it is {p}.")
    return np.diag(np.diag(as_moments(masked, weights).cov) * p**2 / (1 + p**2))
