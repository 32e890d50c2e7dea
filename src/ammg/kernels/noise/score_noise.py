"""Masking of mixed records by correlated error on normal scores (Sullivan and Fuller 1989, 1990).

Every variable becomes a column of standard normal scores, and an error with the correlations of the scores is added.
Records whose own image is still among the nearest are masked again. The ranks of the result then select values of the
original distribution. A classification with r categories becomes r - 1 pseudo-Bernoulli columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.noise.near_images import distance_to_others
from ammg.kernels.pairwise import pairwise_moments
from ammg.kernels.psd import nearest_psd

Floats = NDArray[np.float64]
Kind = Literal["continuous", "discrete"]
_STEP = 0.5  # of the correction towards the wanted correlations


class Variable(NamedTuple):
    """A column of numbers to mask, NaN where missing; its type determines how values are restored."""

    values: Floats
    kind: Kind


class Settings(NamedTuple):
    """The size of the error, and the limits for repeated masking and corrected correlations."""

    alpha: float = 0.3
    nearest: int = 2
    growth: float = 1.25
    tries: int = 25
    passes: int = 1
    repairs: int = 10
    tolerance: float = 0.01


class Scored(NamedTuple):
    """The masked columns, the levels that selected their values, and the covariance of the errors of the scores.

    Then the number of records masked again, of those that still fail, and the change of correlations.
    """

    columns: list[Floats]
    levels: list[Floats]
    noise: Floats
    remasked: int
    failing: int
    deviation: float


def pseudo_bernoulli(codes: NDArray[np.int32], order: Sequence[int], rng: np.random.Generator) -> list[Floats]:
    """Columns W_1 … W_{r-1} of a classification whose categories are in `order`; NaN where it is missing (2.3).

    W_j is 1 in category j; in earlier categories it is drawn with the probability of j among the categories from j on.
    """
    columns, come = [], np.zeros(len(codes), dtype=bool)
    for code in order[:-1]:
        own = codes == code
        left = ~come & (codes >= 0)
        share = own.sum() / max(int(left.sum()), 1)
        bits = np.where(come, rng.random(len(codes)) < share, own).astype(np.float64)
        columns.append(np.where(codes < 0, np.nan, bits))
        come |= own
    return columns


def classify(
    levels: Sequence[Floats], codes: NDArray[np.int32], order: Sequence[int], weights: Floats | None = None
) -> NDArray[np.int32]:
    """The masked categories: each takes the records with the highest levels of its column among the remaining ones.

    It takes as many as it had before (with weights, as nearly as possible); the last category takes the remaining
    records (missing from equation 3.10). The paper takes each column's share of all records instead, which keeps
    frequencies only approximately, because the columns are independent only in expectation. -1 if the code is missing.
    """
    own = np.ones(len(codes)) if weights is None else weights
    found = np.where(codes < 0, -1, order[-1] if len(order) else -1).astype(np.int32)
    left = np.flatnonzero(codes >= 0)
    for code, level in zip(order[:-1], levels, strict=True):
        highest = left[np.argsort(-level[left], kind="stable")]
        reached = np.cumsum(own[highest]) - own[highest] / 2
        taken = int(np.searchsorted(reached, own[codes == code].sum()))
        found[highest[:taken]] = code
        left = np.sort(highest[taken:])
    return found


def mask_scores(
    variables: Sequence[Variable], settings: Settings, rng: np.random.Generator, weights: Floats | None = None
) -> Scored:
    """Mask all variables together; missing values stay."""
    n = len(variables[0].values)
    weight = np.ones(n) if weights is None else weights
    scores = np.column_stack([_scores(variable.values, weight, rng) for variable in variables])
    correlation = _correlations(scores, weight)
    filled = np.where(np.isnan(scores), 0.0, scores)
    error, remasked, failing = _checked_error(filled, correlation, settings, rng)
    wanted = _correlations(np.column_stack([variable.values for variable in variables]), weight)
    best, deviation, current = None, np.inf, correlation
    for _ in range(settings.repairs + 1):
        noise = np.sqrt(settings.alpha) * error @ _root(current)
        levels = [_levels(scores[:, j] + noise[:, j], noise[:, j], weight) for j in range(len(variables))]
        columns = [_back(variable, level, weight) for variable, level in zip(variables, levels, strict=True)]
        found = _correlations(np.column_stack(columns), weight)
        gap = float(np.abs(found - wanted).max(initial=0.0))
        if gap < deviation:
            best, deviation = (columns, levels, noise.T @ noise / n), gap
        if gap <= settings.tolerance:
            break
        current = nearest_psd(np.clip(current + _STEP * (wanted - found), -1.0, 1.0))
    assert best is not None
    return Scored(*best, remasked, failing, deviation)


def _scores(values: Floats, weight: Floats, rng: np.random.Generator) -> Floats:
    """Normal scores of the (weighted) ranks, with ties in random order."""
    from scipy.special import ndtri

    seen = np.flatnonzero(~np.isnan(values))
    out = np.full(len(values), np.nan)
    if len(seen):
        order = seen[np.lexsort((rng.random(len(seen)), values[seen]))]
        total = np.cumsum(weight[order])
        out[order] = ndtri((total - weight[order] / 2) / total[-1])
    return out


def _checked_error(
    scores: Floats, correlation: Floats, settings: Settings, rng: np.random.Generator
) -> tuple[Floats, int, int]:
    """Errors of unit covariance; for records that remain recognisable, drawn again with growing length.

    The distance is Mahalanobis with the correlations of the scores: Euclidean in whitened coordinates.
    """
    error = _near_identity(rng.standard_normal(scores.shape))
    values, vectors = np.linalg.eigh(correlation)
    kept = values > 1e-10 * max(float(values[-1]), 1e-300)
    axes = vectors[:, kept]
    place = scores @ axes / np.sqrt(values[kept])
    remasked = np.zeros(len(scores), dtype=bool)

    def reach() -> tuple[Floats, NDArray[np.bool_]]:
        image = place + np.sqrt(settings.alpha) * error @ axes
        own = settings.alpha * ((error @ axes) ** 2).sum(axis=1)
        limit = distance_to_others(image, place, own, settings.nearest)
        return limit, own <= limit

    for _ in range(settings.passes):
        limit, failing = reach()
        remasked |= failing
        left = np.flatnonzero(failing & np.isfinite(limit))
        for attempt in range(1, settings.tries + 1):
            if not len(left):
                break
            error[left] = rng.standard_normal((len(left), scores.shape[1])) * settings.growth**attempt
            own = settings.alpha * ((error[left] @ axes) ** 2).sum(axis=1)
            left = left[own <= limit[left]]
    return error, int(remasked.sum()), int(reach()[1].sum())


def _near_identity(error: Floats) -> Floats:
    """Centred, with the identity as covariance, if there are enough records."""
    n, p = error.shape
    if n <= p + 1:
        return error
    centred = error - error.mean(axis=0)
    values, vectors = np.linalg.eigh(centred.T @ centred / n)
    return np.asarray(centred @ (vectors / np.sqrt(values)) @ vectors.T)


def _levels(masked: Floats, noise: Floats, weight: Floats) -> Floats:
    """Relative ranks of the masked scores, from 0 to 1, perturbed within their ranks (3.6)."""
    from scipy.special import ndtr

    seen = np.flatnonzero(~np.isnan(masked))
    out = np.full(len(masked), np.nan)
    if not len(seen):
        return out
    spread = np.sqrt((noise[seen] ** 2).sum() / max(len(seen) - 1, 1))
    shift = ndtr(noise[seen] / spread) if spread > 0 else np.full(len(seen), 0.5)
    order = np.argsort(masked[seen], kind="stable")
    own = weight[seen]
    level = np.empty(len(seen))
    level[order] = np.cumsum(own[order])
    out[seen] = (level - own * (1.0 - shift)) / own.sum()
    return out


def _back(variable: Variable, levels: Floats, weight: Floats) -> Floats:
    """Values of the original distribution at the levels (3.7 and 3.8)."""
    seen = np.flatnonzero(~np.isnan(levels))
    out = np.full(len(levels), np.nan)
    if not len(seen):
        return out
    own = weight[seen]
    by_value = np.argsort(variable.values[seen], kind="stable")
    values, total = variable.values[seen][by_value], np.cumsum(own[by_value])
    if variable.kind == "continuous":
        out[seen] = np.interp(levels[seen], (total - own[by_value] / 2) / total[-1], values)
    else:
        out[seen] = values[np.minimum(np.searchsorted(total / total[-1], levels[seen]), len(values) - 1)]
    return out


def _correlations(columns: Floats, weight: Floats) -> Floats:
    """Pairwise-complete correlations, made positive semi-definite; constant columns have correlation zero."""
    cov = pairwise_moments(columns, weight).cov
    cov = np.where(np.isnan(cov), 0.0, cov)
    scale = np.sqrt(np.maximum(np.diag(cov), 0.0))
    inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
    correlation = np.clip(cov * np.outer(inverse, inverse), -1.0, 1.0)
    np.fill_diagonal(correlation, 1.0)
    return nearest_psd(correlation)


def _root(correlation: Floats) -> Floats:
    """The symmetric root, which changes little if the correlations change little."""
    values, vectors = np.linalg.eigh(correlation)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)
