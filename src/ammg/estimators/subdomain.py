"""Moments of a part of a file that was masked with correlated noise.

Kim (1990): noise with covariance dΣ inflates the whole file's covariance by 1 + d, which a factor undoes; a subdomain
has a covariance of its own, so its inflation has to be subtracted. Only the masked file and d are needed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.pairwise import Moments, pairwise_moments
from ammg.kernels.psd import nearest_psd

Floats = NDArray[np.float64]


def noise_covariance(masked_file: Moments, d: float, scaled: bool = False) -> Floats:
    """Estimate dΣ, the covariance of the noise before any rescaling, from the moments of the whole masked file."""
    _check_d(d)
    return d * masked_file.cov if scaled else d * masked_file.cov / (1 + d)


def subdomain_moments(
    masked: Floats,
    masked_file: Moments,
    d: float,
    scaled: bool = False,
    definite: bool = False,
    weights: Floats | None = None,
) -> Moments:
    """Estimate the original means and covariances of a subdomain from its masked records.

    `masked_file` are the moments of the whole masked file and `scaled` tells whether that file was shrunk by
    (1 + d)^(-1/2) towards its mean; corrected moments of a file and of its scaled version are the same. The estimate
    is unbiased if the subdomain is defined by variables that were not masked, and biased otherwise. In a small
    subdomain the covariance can have negative eigenvalues; `definite` returns the nearest proper one.
    """
    moments = pairwise_moments(masked, weights)
    noise = noise_covariance(masked_file, d, scaled)
    mean, cov = moments.mean, moments.cov - noise
    if scaled:
        shrink = (1 + d) ** -0.5
        mean = (moments.mean - (1 - shrink) * masked_file.mean) / shrink
        cov = (1 + d) * moments.cov - noise
    if definite:
        cov = nearest_psd(cov) if (np.diag(cov) >= 0).all() else _clip(cov)
    return Moments(mean, cov)


def unscale(masked: Floats, masked_mean: Floats, d: float) -> Floats:
    """Undo the rescaling of a noisy file: the records it had before they were shrunk towards its mean."""
    _check_d(d)
    return np.asarray((masked - masked_mean) * np.sqrt(1 + d) + masked_mean)


def _clip(matrix: Floats) -> Floats:
    """Drop the negative eigenvalues: where a corrected variance is negative there is no scale to keep."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.asarray(root @ root.T)


def _check_d(d: float) -> None:
    if not d > 0:
        raise ValueError(f"d, the variance of the noise over that of the data, is positive; this one is {d}.")
