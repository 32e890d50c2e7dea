"""Partners of a swap whose values were blurred: noise before or after it leaves a value that several may have owned.

As in `swap_partners`, what speaks for a record and a person speaks for their partners: the owner of the value shown and
the record that shows the own value. Neither is sure here. The owners of a released value are weighed by the law of the
noise and by their number, since each value was dealt once; values closer than the noise can tell are one bin.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.linkage.likely_assignment import share_out

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BIN = 0.5  # of the deviation of the noise
MOST_BINS = 600
NEAR = 5  # neighbours on each side over whom a blur is averaged
DOUBT = 0.02  # of chance: the least belief that is passed on


class Blurred(NamedTuple):
    """One swapped column: the bin that each person's own value lies in, and how each released value is shared out."""

    bins: Ints  # of each person, -1 where the value is missing
    shares: Floats  # records × bins: the chance of one member of the bin to own what the record shows


def blurred_column(own: Floats, shown: Floats, spread: Floats) -> Blurred | None:
    """Weigh the owners of released values under normal noise with a spread of each record's own; None without any."""
    people, records = np.flatnonzero(~np.isnan(own)), np.flatnonzero(~np.isnan(shown))
    if len(people) < 2 or len(records) < 2:
        return None
    width = BIN * max(float(np.median(spread[records])), 1e-300)
    span = float(np.ptp(own[people]))
    order = np.argsort(own[people], kind="stable")
    cuts = np.floor((own[people][order] - own[people].min()) / width) if span / width < 1e9 else np.arange(len(people))
    place = np.concatenate([[0], np.cumsum(np.diff(cuts) > 0)])
    if place[-1] >= MOST_BINS:  # finer than need be: neighbours together
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
    """How far each released value seems to lie from the one that was swapped, as a root mean square over neighbours.

    A swap keeps all values, so that sorted columns show what else has changed them.
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
    """Add to each pair of record and person what is believed of their partners, against no belief."""
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
