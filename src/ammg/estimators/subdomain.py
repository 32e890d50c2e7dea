"""Moments of a part of a file that was masked with correlated noise.

Kim (1990): noise with covariance dΣ inflates the whole file's covariance by 1 + d, which a factor undoes; a subdomain
has a covariance of its own, so its inflation has to be subtracted. Only the masked file and d are needed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ammg.errors import InputError
from ammg.estimators.records import as_means, as_moments, as_records, as_weights
from ammg.kernels.pairwise import Moments, pairwise_moments
from ammg.kernels.psd import nearest_psd

Floats = NDArray[np.float64]


def noise_covariance(masked_file: Moments | Any, d: float, scaled: bool = False, weights: Any = None) -> Floats:
    """Estimate dΣ, the covariance of the noise before any rescaling, from the whole masked file or its moments.

    In a file with weights, Σ is the weighted covariance: give the `weights` of its records.
    """
    _check_d(d)
    cov = as_moments(masked_file, weights).cov
    return d * cov if scaled else d * cov / (1 + d)


def subdomain_moments(
    masked: Any,
    masked_file: Moments | Any,
    d: float,
    scaled: bool = False,
    definite: bool = False,
    weights: Any = None,
    file_weights: Any = None,
) -> Moments:
    """Estimate the original means and covariances of a subdomain from its masked records.

    `masked_file` are the records of the whole masked file, or their moments; `scaled` says whether that file was
    shrunk by (1 + d)^(-1/2) towards its mean. The corrected moments of a file and of its scaled version are the same.
    The estimate is unbiased if the subdomain is defined by variables that were not masked, and biased otherwise. In a
    small subdomain the covariance can have negative eigenvalues; `definite` returns the nearest proper covariance.
    Missing values are left out pair by pair. A file with weights was masked by its weighted moments: give the `weights`
    of the subdomain and the `file_weights` of the whole file.
    """
    part, whole = as_records(masked), as_moments(masked_file, file_weights)
    check_part(part.values, len(whole.mean))
    moments = pairwise_moments(part.values, as_weights(weights, len(part.values)))
    noise = noise_covariance(whole, d, scaled)
    mean, cov = moments.mean, moments.cov - noise
    if scaled:
        shrink = (1 + d) ** -0.5
        mean = (moments.mean - (1 - shrink) * whole.mean) / shrink
        cov = (1 + d) * moments.cov - noise
    if definite:
        if np.isnan(cov).any():
            raise InputError("Two columns are observed together in fewer than two records: leave one of them out.")
        cov = nearest_psd(cov) if (np.diag(cov) >= 0).all() else _clip(cov)
    return Moments(mean, cov)


def unscale(masked: Any, masked_mean: Any, d: float) -> Floats:
    """Undo the rescaling of a noisy file: restore the records before they were shrunk towards the mean."""
    _check_d(d)
    values = as_records(masked).values
    mean = as_means(masked_mean, values.shape[1])
    return np.asarray((values - mean) * np.sqrt(1 + d) + mean)


def check_part(part: Floats, columns: int) -> None:
    """Refuse a subdomain without moments, or with columns that differ from the file's."""
    if len(part) < 2:
        raise InputError(f"The subdomain has {len(part)} records: moments need at least two.")
    if part.shape[1] != columns:
        raise InputError(f"The subdomain has {part.shape[1]} columns, the file {columns}: give the same columns.")


def _clip(matrix: Floats) -> Floats:
    """Set negative eigenvalues to zero: a negative corrected variance has no scale worth keeping."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.asarray(root @ root.T)


def _check_d(d: float) -> None:
    if not (d > 0 and np.isfinite(d)):
        raise InputError(f"d, the variance of the noise over that of the data, must be a positive number; it is {d}.")
