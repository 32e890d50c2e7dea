"""The space in which an intruder who has learned how a mask moves records looks for the nearest one.

Whatever was composed to make the release, true pairs show it: the best linear prediction of masked from original
values, and the covariance of what is left. Mahalanobis distance to the predicted record under that covariance gives
sure columns their weight and noisy ones none. A worst case, since the intruder would need true pairs to learn from
(Torra et al. 2006; Abril, Navarro-Arribas and Torra 2012).
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.spaces import Space, robust_spread, standardised

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")

LEAST_SPREAD = 1e-6  # of a standard deviation: a column that did not change is sure, not infinitely sure


def residual_space(
    original: Floats,
    masked: Floats,
    origin: Ints,
    *,
    pseudo_pairs: float = 0.0,
    beside: Floats | None = None,
    helping: Floats | None = None,
) -> Space:
    """Predicted and masked records in coordinates where residuals of the pairs learned from are white.

    A masked record with origin -1 is not learned from. Missing values count as the mean of their original column, and
    are predicted as such. Few pairs teach little: `pseudo_pairs` more, in which nothing moves and no two residuals are
    related, draw the prediction towards the original values and the covariance towards its diagonal. Columns `beside`
    the masked ones, of which no original is known, are predicted too: they tell of those that they hang together with.
    Columns `helping` the original ones take part in the prediction.
    """
    start = standardised(original, masked)
    before, after = np.nan_to_num(start.original, nan=0.0), np.nan_to_num(start.masked, nan=0.0)
    real = origin >= 0
    known = before
    if beside is not None:
        others = np.nan_to_num(standardised(beside, beside).masked, nan=0.0)
        before = np.hstack([before, np.zeros((len(before), others.shape[1]))])
        after = np.hstack([after, others])
    if not real.any() or not before.shape[1]:
        return Space(before, after, None)
    if helping is not None:
        known = np.hstack([known, np.nan_to_num(standardised(helping, helping).original, nan=0.0)])
    design = np.column_stack([np.ones(len(known)), known])
    pairs, count = design[origin[real]], int(real.sum())
    moved = after[real] - before[origin[real]]
    coefficients = np.linalg.lstsq(*_with_pseudo_pairs(pairs, moved, pseudo_pairs), rcond=None)[0]
    residual = moved - pairs @ coefficients
    covariance = residual.T @ residual / max(count - 1, 1)
    share = pseudo_pairs / (count + pseudo_pairs)
    covariance = (1 - share) * covariance + share * np.diag(covariance.diagonal())
    values, vectors = np.linalg.eigh(covariance)
    rotation = vectors / np.sqrt(np.maximum(values, 0.0) + LEAST_SPREAD**2)
    return Space((before + design @ coefficients) @ rotation, after @ rotation, None)


def as_they_are(original: Floats, masked: Floats) -> tuple[Floats, Floats]:
    """Both files on the scale of their values: noise and averages are linear there."""
    return original, masked


def normal_scores(original: Floats, masked: Floats) -> tuple[Floats, Floats]:
    """Both files as normal scores of their ranks, ties sharing the middle one: the shape of the values is gone."""
    return _scores(original), _scores(masked)


def damped(original: Floats, masked: Floats) -> tuple[Floats, Floats]:
    """Both files with tails drawn in: inverse hyperbolic sines, a robust deviation from the median being about one."""
    seen = np.isfinite(original).any(axis=0)
    centre = np.zeros(original.shape[1])
    centre[seen] = np.nanmedian(original[:, seen], axis=0)
    return _asinh(original, masked, centre, 1.0)


def logarithmic(original: Floats, masked: Floats) -> tuple[Floats, Floats]:
    """Both files on a scale that is logarithmic beyond a tenth of a robust deviation, on both sides of zero."""
    return _asinh(original, masked, np.zeros(original.shape[1]), 10.0)


def _scores(values: Floats) -> Floats:
    from scipy.special import ndtri

    scores = np.full(values.shape, np.nan)
    for j, column in enumerate(values.T):
        seen = ~np.isnan(column)
        ordered = np.sort(column[seen])
        ends = [np.searchsorted(ordered, column[seen], side=side) for side in SIDES]
        scores[seen, j] = ndtri((ends[0] + ends[1]) / (2 * max(len(ordered), 1)))
    return scores


def _asinh(original: Floats, masked: Floats, centre: Floats, zoom: float) -> tuple[Floats, Floats]:
    spread = robust_spread(original, np.zeros(original.shape[1], dtype=bool))
    unit = np.where(spread > 0, spread, 1.0) / zoom
    return np.arcsinh((original - centre) / unit), np.arcsinh((masked - centre) / unit)


def _with_pseudo_pairs(pairs: Floats, moved: Floats, count: float) -> tuple[Floats, Floats]:
    if not count:
        return pairs, moved
    added = np.sqrt(count) * np.eye(pairs.shape[1])[1:]  # not on the constant: a shift is learned from few pairs
    return np.concatenate([pairs, added]), np.concatenate([moved, np.zeros((len(added), moved.shape[1]))])
