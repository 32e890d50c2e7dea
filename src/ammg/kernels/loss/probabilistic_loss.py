"""Probabilistic information loss of means, variances, covariances and correlations (Mateo-Sanz et al. 2005).

The original file is treated as the population and the masked one as a sample of it: a discrepancy is divided by the
standard error of the statistic in such a sample, and the loss is the probability 2·P(0 ≤ Z ≤ z) of a smaller one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blas import one_blas_thread
from ammg.kernels.blocks import over_blocks
from ammg.kernels.columns import PIECE, profile
from ammg.kernels.threads import in_threads

Floats = NDArray[np.float64]


def probability(discrepancy: Floats, variance: Floats) -> Floats:
    """2·P(0 ≤ Z ≤ |discrepancy| / √variance); 0 if nothing changed, 1 if a statistic without variance changed."""
    from scipy.special import erf

    size = np.abs(discrepancy)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = erf(size / np.sqrt(2 * np.maximum(variance, 0.0)))
    return np.where(np.isnan(size) | np.isnan(variance), np.nan, np.where(size == 0, 0.0, found))


def mean_and_variance(original: Floats, masked: Floats) -> tuple[float, float]:
    """Losses of the mean and the variance of one column without missing values."""
    squares = np.square(original - original.mean())
    m2, m4 = float(squares.mean()), float(np.square(squares).mean())  # a power of 4 costs much more than two squares
    shift = float(masked.mean() - original.mean())
    spread = float(np.mean(np.square(masked - masked.mean()))) - m2
    size = len(masked)
    found = probability(np.array([shift, spread]), np.array([m2 / size, (m4 - m2 * m2) / size]))
    return float(found[0]), float(found[1])


def quantile_loss(below: Floats, masked_below: Floats, size: int) -> float:
    """Mean loss of quantiles, from the shares of both files below the original quantiles."""
    inside = (below > 0) & (below < 1)
    if not inside.any():
        return float("nan")
    share = below[inside]
    return float(probability(masked_below[inside] - share, share * (1 - share) / size).mean())


def joint_losses(original: Floats, masked: Floats) -> tuple[Floats, Floats]:
    """Losses of the covariance and correlation of every pair of varying columns; no value may be missing."""
    sides = [in_threads(profile, side.T, side.size) for side in (original, masked)]
    spread = np.sqrt([found.squares / found.observed for found in sides[0]])
    varying = spread > 0
    x, z = (
        _Standardised(
            values if varying.all() else values[:, varying],
            np.array([found.mean for found in side])[varying],
            spread[varying],
        )
        for values, side in zip((original, masked), sides, strict=True)
    )
    lower = np.tril_indices(int(varying.sum()), -1)
    n, size = len(original), len(masked)
    cov, m22, m31 = x.summed(_products) / n
    after = z.summed(lambda part: part.T @ part) / size
    fourth = np.diag(m22)
    r = cov
    with np.errstate(divide="ignore", invalid="ignore"):
        own = np.sqrt(np.diag(after))
        correlation = np.where(np.outer(own, own) > 0, after / np.outer(own, own), 0.0)
    # Asymptotic variance of a correlation, with r² multiplied out to avoid division by zero (Kendall and Stuart).
    of_r = m22 + r * r * (fourth[:, None] + fourth + 2 * m22) / 4 - r * (m31 + m31.T)
    covariances = probability((after - cov)[lower], (m22 - cov * cov)[lower] / size)
    correlations = probability((correlation - r)[lower], of_r[lower] / size)
    return covariances, correlations


class _Standardised(NamedTuple):
    """Columns that are standardised piece by piece, so that no array of their size is made."""

    values: Floats
    mean: Floats
    spread: Floats

    def summed(self, products: Callable[[Floats], Floats]) -> Floats:
        """The sum of what `products` makes of each piece, in their order."""
        found: dict[int, Floats] = {}

        def work(start: int, stop: int) -> None:
            found[start] = products((self.values[start:stop] - self.mean) / self.spread)

        with one_blas_thread():
            over_blocks(work, len(self.values), block=PIECE, brief=True)
        return np.asarray(sum(found[start] for start in sorted(found)))


def _products(x: Floats) -> Floats:
    """Sums over records of products of two columns: of values, of squares, and of cubes with values."""
    squares = np.square(x)
    return np.stack([x.T @ x, squares.T @ squares, (squares * x).T @ x])
