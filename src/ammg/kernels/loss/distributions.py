"""Distances between two samples of one number: of their distribution functions and ranks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.orders import run_starts

Floats = NDArray[np.float64]


class Distances(NamedTuple):
    """Distances of two distribution functions F and G."""

    kolmogorov_smirnov: float
    """max |F - G|."""
    wasserstein: float
    """∫ |F - G|, in the unit of the values."""
    energy: float
    """√(2 ∫ (F - G)²), in the root of the unit."""


def distances(original: Floats, masked: Floats) -> Distances:
    """Compute all three from two sorted samples with at least one value each."""
    pooled = np.concatenate([original, masked])
    order = np.argsort(pooled, kind="stable")  # two sorted runs are merged
    pooled = pooled[order]
    from_masked = np.cumsum(order >= len(original))[:-1]
    gap = (np.arange(1, len(pooled)) - from_masked) / len(original)
    gap -= from_masked / len(masked)
    np.abs(gap, out=gap)
    width = np.diff(pooled)  # zero between equal values, where F and G are not there yet
    area = gap * width
    return Distances(
        float(gap.max(where=width > 0, initial=0.0)),
        float(area.sum()),
        float(np.sqrt(2 * np.multiply(area, gap, out=area).sum())),
    )


def mid_ranks(values: Floats) -> Floats:
    """Ranks from 1 of the observed values, with the mean rank for ties; NaN for missing ones."""
    order = np.argsort(values)  # in any order of ties, which share their rank; missing values come last
    observed = len(values) - int(np.isnan(values).sum())
    out = np.full(len(values), np.nan)
    if not observed:
        return out
    ordered = values[order[:observed]]
    starts = run_starts(ordered)
    sizes = np.diff(np.append(starts, observed))
    out[order[:observed]] = np.repeat(starts + (sizes + 1) / 2, sizes)
    return out


def share_below(ordered: Floats, points: Floats) -> Floats:
    """The distribution function of a sorted sample at some points."""
    return np.searchsorted(ordered, points, side="right") / max(len(ordered), 1)
