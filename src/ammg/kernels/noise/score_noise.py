"""Masking of mixed records by correlated error on normal scores (Sullivan and Fuller 1989, 1990).

Every variable becomes a column of standard normal scores, an error with the correlations of the scores is added, those
records are masked again whose own image is still among the nearest, and the ranks of the result choose values of the
original distribution. A classification with r categories is r - 1 pseudo-Bernoulli columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.linkage.nearest import k_nearest
from ammg.kernels.pairwise import pairwise_moments
from ammg.kernels.psd import nearest_psd

Floats = NDArray[np.float64]
Kind = Literal["continuous", "discrete"]
_STEP = 0.5  # of the repair towards the wanted correlations
_STEPS, _PART = (64, 8), 1_000  # every so many of the images are looked at first, if that is so many of them


class Variable(NamedTuple):
    """A column of numbers to mask, NaN where it has none; what it is says how its values come back."""

    values: Floats
    kind: Kind


class Settings(NamedTuple):
    """How strong the error is, and how hard records are checked and correlations repaired."""

    alpha: float = 0.3
    nearest: int = 2
    growth: float = 1.25
    tries: int = 25
    passes: int = 1
    repairs: int = 10
    tolerance: float = 0.01


class Scored(NamedTuple):
    """The masked columns, how many records were masked again, how many still fail, and how far correlations moved."""

    columns: list[Floats]
    remasked: int
    failing: int
    deviation: float


def pseudo_bernoulli(codes: NDArray[np.int32], order: Sequence[int], rng: np.random.Generator) -> list[Floats]:
    """Columns W_1 … W_{r-1} of a classification whose categories stand in `order`; NaN where it is missing (2.3).

    W_j is 1 in category j; after the category has come, it is drawn with the chance of j among those not yet come.
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


def classify(bits: Sequence[Floats], order: Sequence[int], missing: NDArray[np.bool_]) -> NDArray[np.int32]:
    """The first category whose bit is set, the last one if none is (missing from equation 3.10); -1 where missing."""
    codes = np.full(len(missing), order[-1] if len(order) else -1, dtype=np.int32)
    for code, column in zip(reversed(order[:-1]), reversed(bits), strict=True):
        codes = np.where(column > 0.5, np.int32(code), codes)
    return np.where(missing, np.int32(-1), codes)


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
        columns = [
            _back(variable, scores[:, j] + noise[:, j], noise[:, j], weight) for j, variable in enumerate(variables)
        ]
        found = _correlations(np.column_stack(columns), weight)
        gap = float(np.abs(found - wanted).max(initial=0.0))
        if gap < deviation:
            best, deviation = columns, gap
        if gap <= settings.tolerance:
            break
        current = nearest_psd(np.clip(current + _STEP * (wanted - found), -1.0, 1.0))
    assert best is not None
    return Scored(best, remasked, failing, deviation)


def _scores(values: Floats, weight: Floats, rng: np.random.Generator) -> Floats:
    """Normal scores of the (weighted) ranks, ties in random order."""
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
    """Errors of unit covariance, those of records that stay recognisable drawn again with growing length.

    The distance is that of Mahalanobis with the correlations of the scores: plain in the whitened coordinates.
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
        limit = _limits(image, place, own, settings.nearest)
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


def _limits(image: Floats, place: Floats, own: Floats, nearest: int) -> Floats:
    """The distance that a record's own image must exceed; an upper bound of it where it does.

    Most records are masked well enough already by few of the images, so that a full search is for the others alone.
    """
    n = len(place)
    limit, left = np.full(n, np.inf), np.arange(n)
    by_length = np.argsort(own, kind="stable")  # so that every part has images of all lengths
    parts = [by_length[::step] for step in _STEPS if n // step >= _PART]
    for some in (*parts, np.arange(n)):
        rows, distances = k_nearest(image[some], place[left], min(nearest + 1, len(some)))
        others = np.where(some[rows] == left[:, None], np.inf, distances)
        found = np.sort(others, axis=1)
        limit[left] = found[:, min(nearest, found.shape[1]) - 1]
        left = left[own[left] <= limit[left]]
    return limit


def _near_identity(error: Floats) -> Floats:
    """Centred, with the identity as covariance, where there are enough records."""
    n, p = error.shape
    if n <= p + 1:
        return error
    centred = error - error.mean(axis=0)
    values, vectors = np.linalg.eigh(centred.T @ centred / n)
    return np.asarray(centred @ (vectors / np.sqrt(values)) @ vectors.T)


def _back(variable: Variable, masked: Floats, noise: Floats, weight: Floats) -> Floats:
    """Values of the original distribution at the perturbed ranks of the masked scores (3.6 to 3.8)."""
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
    level = (level - own * (1.0 - shift)) / own.sum()
    by_value = np.argsort(variable.values[seen], kind="stable")
    values, total = variable.values[seen][by_value], np.cumsum(own[by_value])
    if variable.kind == "continuous":
        out[seen] = np.interp(level, (total - own[by_value] / 2) / total[-1], values)
    else:
        out[seen] = values[np.minimum(np.searchsorted(total / total[-1], level), len(values) - 1)]
    return out


def _correlations(columns: Floats, weight: Floats) -> Floats:
    """Pairwise-complete correlations made positive semi-definite; a constant column correlates with nothing."""
    cov = pairwise_moments(columns, weight).cov
    cov = np.where(np.isnan(cov), 0.0, cov)
    scale = np.sqrt(np.maximum(np.diag(cov), 0.0))
    inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
    correlation = np.clip(cov * np.outer(inverse, inverse), -1.0, 1.0)
    np.fill_diagonal(correlation, 1.0)
    return nearest_psd(correlation)


def _root(correlation: Floats) -> Floats:
    """The symmetric root, which changes little when the correlations do."""
    values, vectors = np.linalg.eigh(correlation)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)
