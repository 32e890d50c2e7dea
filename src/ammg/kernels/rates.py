"""From links to rates: credit under duplicates, precision along the weight, and the interval of a rate."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class PrecisionCurve(NamedTuple):
    """Links from the surest to the least sure: how many are made, how many of them are right. Ties enter together."""

    threshold: Floats
    made: Ints
    right: Floats


class Interval(NamedTuple):
    """The ends of a confidence interval."""

    low: float
    high: float


def link_credit(links: Ints, origin: Ints, copies: Ints | None = None) -> Floats:
    """1 for each masked record linked to its own original, 1/c to one of the c equal records that include it, else 0.

    `copies` numbers the originals so that equal ones share a number: among them an intruder can only guess.
    """
    linked = (links >= 0) & (origin >= 0)
    if copies is None:
        return np.asarray(linked & (links == origin), dtype=np.float64)
    sizes = np.bincount(copies)
    own, found = copies[np.where(linked, origin, 0)], copies[np.where(linked, links, 0)]
    return np.where(linked & (own == found), 1.0 / sizes[own], 0.0)


def precision_curve(weights: Floats, credit: Floats) -> PrecisionCurve:
    """Sort links by weight and count, at every distinct weight, the links at least as sure and the right ones."""
    threshold, made = np.unique(-weights, return_counts=True)
    order = np.argsort(-weights, kind="stable")
    ends = np.cumsum(made)
    return PrecisionCurve(-threshold, ends, np.cumsum(credit[order])[ends - 1])


def zone_rate(curve: PrecisionCurve, records: int, precision: float = 0.2) -> float:
    """Right links in the largest zone of surest links whose precision holds, over all records (Yancey et al. 2002)."""
    holds = np.flatnonzero(curve.right >= precision * curve.made)
    return float(curve.right[holds[-1]] / records) if len(holds) else 0.0


def wilson_interval(successes: float, trials: float, z: float = 1.959963984540054) -> Interval:
    """The score interval of a proportion (Wilson 1927), which stays inside 0..1 and works at 0 and at 1."""
    if trials <= 0:
        return Interval(0.0, 1.0)
    share, shrink = successes / trials, 1 + z * z / trials
    centre = (share + z * z / (2 * trials)) / shrink
    half = z * np.sqrt(max(share * (1 - share), 0.0) / trials + z * z / (4 * trials * trials)) / shrink
    return Interval(max(float(centre - half), 0.0), min(float(centre + half), 1.0))
