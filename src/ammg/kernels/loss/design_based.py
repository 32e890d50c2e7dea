"""Estimates from a survey's design and their variances: weights, strata, clusters drawn with replacement."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Design(NamedTuple):
    """Weights of the records, their strata and the clusters within them, as codes from 0."""

    weights: Floats
    strata: Ints
    clusters: Ints


class Estimate(NamedTuple):
    """An estimate and its confidence interval."""

    value: float
    low: float
    high: float


def total(values: Floats, chosen: NDArray[np.bool_], design: Design, normal: float) -> Estimate:
    """A weighted total over chosen records."""
    scores = np.where(chosen, design.weights * np.where(chosen, values, 0.0), 0.0)
    return _around(float(scores.sum()), scores, design, normal)


def mean(values: Floats, chosen: NDArray[np.bool_], design: Design, normal: float) -> Estimate | None:
    """A weighted mean over chosen records, linearised as a ratio; None if nothing is chosen."""
    weight = np.where(chosen, design.weights, 0.0)
    size = float(weight.sum())
    if size <= 0:
        return None
    filled = np.where(chosen, values, 0.0)
    centre = float(weight @ filled) / size
    return _around(centre, weight * (filled - centre) / size, design, normal)


def quantile(values: Floats, chosen: NDArray[np.bool_], share: float, design: Design, normal: float) -> Estimate | None:
    """A weighted quantile with the interval of Woodruff (1952); None if nothing is chosen."""
    weight = np.where(chosen, design.weights, 0.0)
    size = float(weight.sum())
    if size <= 0:
        return None
    order = np.argsort(np.where(chosen, values, np.inf), kind="stable")[: int(chosen.sum())]
    ordered, below = values[order], np.cumsum(weight[order]) / size
    point = _at(ordered, below, share)
    scores = weight * ((np.where(chosen, values, np.inf) <= point) - share) / size
    half = normal * np.sqrt(_variance(scores, design))
    return Estimate(point, _at(ordered, below, share - half), _at(ordered, below, share + half))


def _at(ordered: Floats, below: Floats, share: float) -> float:
    place = int(np.searchsorted(below, min(max(share, 0.0), 1.0) - 1e-12))
    return float(ordered[min(place, len(ordered) - 1)])


def _around(value: float, scores: Floats, design: Design, normal: float) -> Estimate:
    half = normal * float(np.sqrt(_variance(scores, design)))
    return Estimate(value, value - half, value + half)


def _variance(scores: Floats, design: Design) -> float:
    """Σ_h n_h/(n_h - 1) Σ_i (z_hi - z_h)², z_hi the sum of the scores of cluster i of stratum h."""
    clusters = int(design.clusters.max(initial=-1)) + 1
    sums = np.bincount(design.clusters, scores, clusters)
    stratum = np.zeros(clusters, dtype=np.int64)
    stratum[design.clusters] = design.strata
    strata = int(stratum.max(initial=-1)) + 1
    sizes = np.bincount(stratum, minlength=strata)
    centre = np.bincount(stratum, sums, strata) / np.maximum(sizes, 1)
    squares = np.bincount(stratum, np.square(sums - centre[stratum]), strata)
    return float((squares * sizes / np.maximum(sizes - 1, 1)).sum())
