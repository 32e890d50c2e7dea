"""From links to rates: credit with duplicates, precision by weight, and the interval of a rate."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class PrecisionCurve(NamedTuple):
    """Links from most to least certain: their number and how many of them are correct. Ties enter together."""

    threshold: Floats
    made: Ints
    right: Floats


class Interval(NamedTuple):
    """The ends of a confidence interval."""

    low: float
    high: float


def link_credit(links: Ints, origin: Ints, people: Ints | None = None, records: Ints | None = None) -> Floats:
    """The probability that each masked record is linked to its own original: 1 or 0, or less among equal ones.

    `people` numbers the originals so that equal ones share a number, and `records` the masked records likewise. Nobody
    can choose among equal ones, so a class of masked records shares its links, and a class of originals the correct
    ones.
    """
    linked = (links >= 0) & (origin >= 0)
    if people is None:
        return np.asarray(linked & (links == origin), dtype=np.float64)
    records = np.arange(len(links)) if records is None else records
    wide = int(people.max(initial=0)) + 1
    made, counts = np.unique(records[links >= 0] * wide + people[links[links >= 0]], return_counts=True)
    wanted = records * wide + people[origin] if len(people) else records
    place = np.minimum(np.searchsorted(made, wanted), max(len(made) - 1, 0))
    found = (origin >= 0) & (made[place] == wanted) if len(made) else np.zeros(len(links), dtype=bool)
    own = np.bincount(people)[people[origin]] if len(people) else np.ones(len(links))
    share = counts[place] / (np.bincount(records)[records] * own) if len(made) else np.zeros(len(links))
    return np.where(found, share, 0.0)


def precision_curve(weights: Floats, credit: Floats) -> PrecisionCurve:
    """At every distinct weight, the number of links of that weight or more, and of the correct ones among them."""
    threshold, made = np.unique(-weights, return_counts=True)
    order = np.argsort(-weights, kind="stable")
    ends = np.cumsum(made)
    return PrecisionCurve(-threshold, ends, np.cumsum(credit[order])[ends - 1])


def zone_rate(curve: PrecisionCurve, records: int, precision: float = 0.2) -> float:
    """Correct links in the largest zone of top links with this precision, over all records (Yancey et al. 2002)."""
    holds = np.flatnonzero(curve.right >= precision * curve.made)
    return float(curve.right[holds[-1]] / records) if len(holds) else 0.0


def wilson_interval(successes: float, trials: float, z: float = 1.959963984540054) -> Interval:
    """The score interval of a proportion (Wilson 1927), which stays inside 0..1 and works at 0 and at 1."""
    if trials <= 0:
        return Interval(0.0, 1.0)
    share, shrink = min(max(successes / trials, 0.0), 1.0), 1 + z * z / trials
    centre = (share + z * z / (2 * trials)) / shrink
    half = z * np.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials)) / shrink
    low, high = (min(max(float(end), 0.0), 1.0) for end in (centre - half, centre + half))
    return Interval(min(low, share), max(high, share))  # at 0 and 1, one end is the share itself, up to rounding
