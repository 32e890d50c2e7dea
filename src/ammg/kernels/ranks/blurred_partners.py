"""Partners of a swap with blurred values: after noise, a released value may belong to several people.

As in `swap_partners`, evidence for a record and a person is also evidence for their partners: the owner of the released
value, and the record that shows the person's own value. Neither is certain here. The owners of a released value are
weighted by the distribution of the noise and by their number, since each value occurs once; values that the noise
cannot separate share a bin.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.matching.likely_assignment import share_out

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BIN = 0.5  # of the deviation of the noise
MOST_BINS = 600
NEAR = 5  # neighbours on each side over which the blur is averaged
DOUBT = 0.02  # the least belief that is passed on, as a share of that by chance


class Blurred(NamedTuple):
    """One swapped column: the bin of each person's own value, and the distribution of each released value over bins."""

    bins: Ints  # of each person, -1 where the value is missing
    shares: Floats  # records × bins: probability that a given member of the bin owns the value of the record


def blurred_column(own: Floats, shown: Floats, spread: Floats) -> Blurred | None:
    """Weight the owners of released values under normal noise with a spread for each record; None without noise."""
    people, records = np.flatnonzero(~np.isnan(own)), np.flatnonzero(~np.isnan(shown))
    if len(people) < 2 or len(records) < 2:
        return None
    width = BIN * max(float(np.median(spread[records])), 1e-300)
    span = float(np.ptp(own[people]))
    order = np.argsort(own[people], kind="stable")
    cuts = np.floor((own[people][order] - own[people].min()) / width) if span / width < 1e9 else np.arange(len(people))
    place = np.concatenate([[0], np.cumsum(np.diff(cuts) > 0)])
    if place[-1] >= MOST_BINS:  # finer than necessary: merge neighbours
        place = place * MOST_BINS // (int(place[-1]) + 1)
        place = np.unique(place, return_inverse=True)[1]
    bins = np.full(len(own), -1, dtype=np.int64)
    bins[people[order]] = place
    size = np.bincount(place).astype(np.float64)
    middle = np.bincount(place, weights=own[people][order]) / size
    gaps = (shown[records][:, None] - middle) / spread[records][:, None]
    chances = share_out(np.log(size) - 0.5 * gaps**2, size)
    shares = np.zeros((len(shown), len(size)))
    shares[records] = np.exp(chances) / size
    return Blurred(bins, shares)


def blur_between(own: Floats, shown: Floats) -> Floats:
    """The distance of each released value from the swapped one, as a root mean square over neighbours.

    A swap keeps all values, so sorted columns show all other changes.
    """
    spread = np.zeros(len(shown))
    seen = np.flatnonzero(~np.isnan(shown))
    held = np.sort(own[~np.isnan(own)])
    if not len(seen) or not len(held):
        return spread
    order = seen[np.argsort(shown[seen], kind="stable")]
    expected = np.interp(np.linspace(0, 1, len(order)), np.linspace(0, 1, len(held)), held)
    sums = np.concatenate([[0.0], np.cumsum((shown[order] - expected) ** 2)])
    place = np.arange(len(order))
    first, last = np.maximum(place - NEAR, 0), np.minimum(place + NEAR + 1, len(order))
    spread[order] = np.sqrt((sums[last] - sums[first]) / (last - first))
    return spread


def add_evidence(beliefs: Floats, column: Blurred, settled: Floats) -> None:
    """Add to each pair of record and person the evidence from their partners, relative to no belief."""
    held = column.bins >= 0
    bins = column.bins[held]
    owned = np.zeros((column.shares.shape[1], len(beliefs)))
    order = np.argsort(bins, kind="stable")
    starts = np.flatnonzero(np.concatenate([[True], np.diff(bins[order]) > 0]))
    owned[bins[order][starts]] = np.add.reduceat(beliefs[:, held].T[order], starts, axis=0)
    both = column.shares @ (owned @ column.shares)  # records × bins of the own value
    chance = 1.0 / beliefs.shape[1]
    own = column.shares[:, bins] ** 2 * beliefs[:, held]  # nobody is their own partner
    evidence = np.log((np.maximum(both[:, bins] - own, 0.0) + DOUBT * chance) / ((1.0 + DOUBT) * chance))
    evidence[column.shares.sum(axis=1) <= 0.0] = 0.0
    settled[:, held] += evidence
