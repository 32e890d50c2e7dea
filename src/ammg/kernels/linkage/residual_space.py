"""The space in which an intruder who has learned the effect of a mask searches for the nearest record.

True pairs show the effect of any mask: the best linear prediction of masked from original values, and the covariance of
the residuals. The Mahalanobis distance to the predicted record under that covariance gives reliable columns a high
weight and noisy ones a low weight. It is a worst case, since the intruder would need true pairs to learn from
(Torra et al. 2006; Abril, Navarro-Arribas and Torra 2012).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.orders import run_starts, stable_order
from ammg.kernels.spaces import Space, robust_spread, standardised
from ammg.kernels.threads import in_threads

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST_SPREAD = 1e-6  # of a standard deviation: an unchanged column gets a large weight, not an infinite one


def residual_space(
    original: Floats,
    masked: Floats,
    origin: Ints,
    *,
    pseudo_pairs: float = 0.0,
    beside: Floats | None = None,
    helping: Floats | None = None,
) -> Space:
    """Predicted and masked records in coordinates where the residuals of the training pairs are white.

    Masked records with origin -1 are not used for learning. Missing values count as the mean of their original column,
    and are predicted as such. With few pairs, estimates are poor: `pseudo_pairs` additional pairs, in which nothing
    moves and residuals are unrelated, shrink the prediction towards the original values and the covariance towards its
    diagonal. Columns `beside` the masked ones, without a known original, are predicted too, because they may be
    correlated with masked ones. Columns `helping` the original ones take part in the prediction.
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
    """Both files unchanged: noise and averages are linear on this scale."""
    return original, masked


def normal_scores(original: Floats, masked: Floats) -> tuple[Floats, Floats]:
    """Both files as normal scores of their ranks, with the middle rank for ties: the shape is removed."""
    return _scores(original), _scores(masked)


def damped(original: Floats, masked: Floats) -> tuple[Floats, Floats]:
    """Both files with shortened tails: inverse hyperbolic sines of robust standard scores."""
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

    def work(j: int) -> None:
        order = stable_order(values[:, j])
        ordered = values[order, j]
        ordered = ordered[: len(ordered) - np.count_nonzero(np.isnan(ordered))]
        starts = run_starts(ordered)
        ends = np.append(starts[1:], len(ordered))
        middle = ndtri((starts + ends) / (2 * max(len(ordered), 1)))
        scores[order[: len(ordered)], j] = np.repeat(middle, ends - starts)

    in_threads(work, range(values.shape[1]), values.size)
    return scores


def _asinh(original: Floats, masked: Floats, centre: Floats, zoom: float) -> tuple[Floats, Floats]:
    spread = robust_spread(original, np.zeros(original.shape[1], dtype=bool))
    unit = np.where(spread > 0, spread, 1.0) / zoom
    return np.arcsinh((original - centre) / unit), np.arcsinh((masked - centre) / unit)


def _with_pseudo_pairs(pairs: Floats, moved: Floats, count: float) -> tuple[Floats, Floats]:
    if not count:
        return pairs, moved
    added = np.sqrt(count) * np.eye(pairs.shape[1])[1:]  # not for the constant: few pairs suffice to learn a shift
    return np.concatenate([pairs, added]), np.concatenate([moved, np.zeros((len(added), moved.shape[1]))])
