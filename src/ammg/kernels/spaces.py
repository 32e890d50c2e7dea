"""Transform an original and a masked file into one space in which records can be compared by distance.

Every scale comes from the original file and is applied to both, so that masking cannot change it. Columns constant in
the original do not distinguish people and are left out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.columns import extent
from ammg.kernels.psd import RANK_TOLERANCE
from ammg.kernels.threads import in_threads

Floats = NDArray[np.float64]

QUARTILES_APART = 1.3489795003921634  # of the normal distribution, in standard deviations
ABSOLUTE, MISMATCH = 1, 2  # the kinds of `kd_tree`, which is compiled and therefore not imported here


class Space(NamedTuple):
    """Both files in common coordinates, and the kind of distance of each (None: squared differences)."""

    original: Floats
    masked: Floats
    kinds: NDArray[np.int64] | None


def standardised(original: Floats, masked: Floats) -> Space:
    """Subtract the original mean and divide by the original deviation (Mateo-Sanz et al. 2004, section 3.2)."""
    mean, spread = _moments(original)
    return _affine(original, masked, mean, spread)


def robust(original: Floats, masked: Floats) -> Space:
    """Subtract the original median and divide by the interquartile range, or by the deviation if that is zero."""
    varies = ~np.isnan(original).all(axis=0)
    quartiles = np.full((3, original.shape[1]), np.nan)
    quartiles[:, varies] = np.nanquantile(original[:, varies], [0.25, 0.5, 0.75], axis=0)
    spread = quartiles[2] - quartiles[0]
    return _affine(original, masked, quartiles[1], np.where(spread > 0, spread, _moments(original)[1]))


def robust_spread(original: Floats, categorical: NDArray[np.bool_]) -> Floats:
    """The standard deviation of each column or, if less, that of a normal distribution with its quartiles; 0 for codes.

    A single huge record must not make the others look alike. If at least half of the values are equal, the quartiles
    are those of the other values.
    """
    spread = np.zeros(original.shape[1])
    numbers = np.flatnonzero(~categorical)
    spread[numbers] = in_threads(lambda j: _robust_spread(original[:, j]), numbers, len(original) * len(numbers))
    return spread


def _robust_spread(column: Floats) -> float:
    values = column[np.isfinite(column)]
    if len(values) < 2:
        return 0.0
    low, high = np.quantile(values, (0.25, 0.75))
    if low == high:
        rest = values[values != low]
        low, high = np.quantile(rest, (0.25, 0.75)) if len(rest) else (low, high)
    return min(float(np.std(values, ddof=1)), float(high - low) / QUARTILES_APART)


def whitened(original: Floats, masked: Floats, covariance: Floats) -> Space:
    """Transform so that squared distance is Mahalanobis distance under `covariance`, which may be singular.

    Directions without variance are left out (a generalised inverse). The columns are centred first, so that large means
    cost no digits. Records must be complete.
    """
    rotation = whitening(covariance)
    mean = original.mean(axis=0)
    return Space((original - mean) @ rotation, (masked - mean) @ rotation, None)


def whitening(covariance: Floats) -> Floats:
    """The m × r matrix W with W'CW = I for a covariance C of rank r, determined on the correlation matrix."""
    spread = np.sqrt(np.clip(np.diag(covariance), 0, None))
    varies = spread > 0
    correlation = covariance[np.ix_(varies, varies)] / np.outer(spread[varies], spread[varies])
    values, vectors = np.linalg.eigh(correlation)
    kept = values > RANK_TOLERANCE * values.max(initial=0.0)
    rotation = np.zeros((len(covariance), int(kept.sum())))
    rotation[varies] = vectors[:, kept] / np.sqrt(values[kept]) / spread[varies][:, None]
    return rotation


def gower(original: Floats, masked: Floats, categorical: NDArray[np.bool_]) -> Space:
    """Scale numeric columns by their range and compare categories by equality (Gower 1971).

    The distance is the sum over columns of differences between 0 and 1. Codes come as floats, NaN for missing; masked
    values outside the original range may differ by more than 1.
    """
    low, high = _extremes(original)
    scale = np.where(categorical, 1.0, high - low)
    kept = categorical | (scale > 0)
    kinds = np.where(categorical, MISMATCH, ABSOLUTE).astype(np.int64)[kept]
    start = np.where(categorical, 0.0, low)[kept]
    return Space((original[:, kept] - start) / scale[kept], (masked[:, kept] - start) / scale[kept], kinds)


def _affine(original: Floats, masked: Floats, centre: Floats, spread: Floats) -> Space:
    kept = spread > 0
    scale, centre = spread[kept], centre[kept]

    def placed(side: Floats) -> Floats:
        out = np.empty((len(side), len(scale)))

        def work(start: int, stop: int) -> None:
            some = side[start:stop] if kept.all() else side[start:stop, kept]
            np.subtract(some, centre, out=out[start:stop])
            out[start:stop] /= scale

        over_blocks(work, len(side), block=1 << 15, brief=True)
        return out

    return Space(placed(original), placed(masked), None)


def _moments(values: Floats) -> tuple[Floats, Floats]:
    """Means and deviations of the columns.

    NOTE: links one to one choose among equally cheap ones by the last digits, so other sums mean other links.
    """
    missing = np.isnan(values)
    count = len(values) - np.count_nonzero(missing, axis=0)
    has_gaps = bool((count < len(values)).any())
    known = np.where(missing, 0.0, values) if has_gaps else values
    mean = np.divide(known.sum(axis=0), count, where=count > 0, out=np.zeros(values.shape[1]))
    away = values - mean
    if has_gaps:
        away[missing] = 0.0
    np.square(away, out=away)
    spread = np.sqrt(np.divide(away.sum(axis=0), count - 1, where=count > 1, out=np.zeros(values.shape[1])))
    ends = in_threads(extent, values.T, values.size)
    is_constant = np.array([low >= high for low, high in ends], dtype=bool)
    return mean, np.where(is_constant, 0.0, spread)  # the mean of equal numbers may differ from them by rounding


def _extremes(values: Floats) -> tuple[Floats, Floats]:
    missing = np.isnan(values)
    return np.where(missing, np.inf, values).min(axis=0, initial=np.inf), np.where(missing, -np.inf, values).max(
        axis=0, initial=-np.inf
    )
