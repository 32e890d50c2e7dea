"""Interval disclosure: how often an original value lies in a narrow interval around the released one.

Rank intervals (RID) reach p percent of the records up and down the sorted released column, standard deviation
intervals (SDID) p percent of a standard deviation (Mateo-Sanz, Sebé and Domingo-Ferrer 2004, section 3.3). For each
cell the result is the share of the widths whose interval contains the value, so that any subset of records can be
averaged. A wider interval contains every narrower one, so one sort per column and at most one comparison per width are
enough.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.columns import pieces, profile
from ammg.kernels.orders import stable_order

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Width = Literal["half", "full"]

_FEW_WIDTHS = 50
_FEW = 2048  # values up to which numpy costs less than a kernel that would first have to be compiled

PERCENT = tuple(float(p) for p in range(1, 11))


def rank_intervals(
    original: Floats, masked: Floats, percent: tuple[float, ...] = PERCENT, width: Width = "half"
) -> Floats:
    """Share of the rank intervals around each released value that contain the original; NaN if either is missing.

    `original[i]` belongs to `masked[i]`, NaN for simulated records; all released values count for ranks.
    `width` "half" reaches p percent to each side (ranks differ by at most p percent), "full" spans p percent in total.
    """
    shares = np.full(len(masked), np.nan)
    order = stable_order(masked)
    order = order[: len(order) - np.count_nonzero(np.isnan(masked))]
    reach = np.sort(np.asarray(percent)) * len(order) / (100 if width == "half" else 200)
    ordered = masked[order]
    if len(order) <= _FEW:
        shares[order] = _hit_few_ranks(original[order], ordered, reach)
    else:
        from ammg.kernels.inference.rank_hits import hit_ranks

        hit_ranks(original, ordered, order, reach, shares)
    return shares


def deviation_intervals(
    original: Floats,
    masked: Floats,
    deviation: float | None = None,
    percent: tuple[float, ...] = PERCENT,
    width: Width = "half",
) -> Floats:
    """Share of the intervals of p percent of a standard deviation around each released value that contain the original.

    `deviation` is by default that of the released values. A constant column discloses everything.
    """
    if deviation is None:
        found = profile(masked)
        deviation = 0.0 if found.observed < 2 else found.sd
    reach = np.sort(np.asarray(percent)) * deviation / (100 if width == "half" else 200)
    shares = np.empty(len(masked))
    for part in pieces(len(masked)):
        gap = np.subtract(original[part], masked[part])
        np.abs(gap, out=gap)
        if deviation == 0:
            shares[part] = 1.0
        else:
            np.divide(_count_reached(gap, reach), len(reach), out=shares[part])
        if np.isnan(gap.sum()):
            shares[part][np.isnan(gap)] = np.nan
    return shares


def _count_reached(gap: Floats, reach: Floats) -> Ints | NDArray[np.uint8]:
    """How many of the sorted distances cover each gap; none if it is missing."""
    if len(reach) > _FEW_WIDTHS:
        return np.where(np.isnan(gap), 0, len(reach) - np.searchsorted(reach, gap, side="left"))
    hits = np.zeros(len(gap), dtype=np.uint8)
    for distance in reach:
        hits += gap <= distance
    return hits


def _hit_few_ranks(value: Floats, ordered: Floats, reach: Floats) -> Floats:
    """The share of the rank intervals that contain each original value, given in the order of the released ones."""
    last = len(ordered) - 1
    changes = np.flatnonzero(ordered[1:] != ordered[:-1])
    lengths = np.diff(changes, prepend=-1, append=last)
    stop = np.repeat(np.append(changes, last), lengths)  # the last rank of the values tied with each
    start = stop + 1 - np.repeat(lengths, lengths)
    hits = np.zeros(len(ordered), dtype=np.int64)
    for h in reach:
        low = ordered[np.maximum(np.ceil(start - h), 0).astype(np.int64)]
        high = ordered[np.minimum(np.floor(stop + h), last).astype(np.int64)]
        hits += (low <= value) & (value <= high)
    return np.where(np.isnan(value), np.nan, hits / len(reach))
