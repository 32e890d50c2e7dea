"""Replace a column by the order statistics of samples drawn from it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.ranks.rank_swap import random_order

Floats = NDArray[np.float64]


def resample_sources(values: Floats, rng: np.random.Generator) -> NDArray[np.int64]:
    """The positions of the values that one sample assigns to each record: those of the same rank in the sample."""
    order = random_order(values, rng)
    drawn = _drawn(len(values), rng)
    sources = np.empty(len(values), dtype=np.int64)
    sources[order] = np.repeat(order, drawn)
    return sources


def resample_ranks(values: Floats, samples: int, rng: np.random.Generator) -> Floats:
    """Give the record of rank i the average of the i-th smallest values of `samples` samples with replacement.

    Resampling of Mateo-Sanz, Sebé and Domingo-Ferrer (2004). Ranks are kept and values stay in range; with one sample
    they are values of the file. A sorted sample is the sorted column with each value repeated as often as it was
    drawn, so no sample is ever sorted. `values` must not contain missing values; ties are ranked at random.
    """
    if samples < 1:
        raise ValueError(f"Resampling needs at least one sample, not {samples}.")
    n = len(values)
    order = random_order(values, rng)
    ranked = values[order]
    largest = float(np.abs(ranked).max(initial=0.0))
    shares = samples if largest > np.finfo(float).max / samples else 1  # the sum of huge values would be infinite
    total = np.zeros(n)
    for _ in range(samples):
        total += np.repeat(ranked / shares, _drawn(n, rng))
    resampled = np.empty_like(values)
    # Rounding can move a mean of equal numbers out of their range; values must stay in the file's range.
    resampled[order] = np.clip(
        total / (samples // shares), ranked[:1].min(initial=np.inf), ranked[-1:].max(initial=-np.inf)
    )
    return resampled


def _drawn(n: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """How often each of n values is drawn into a sample of n."""
    return np.bincount(rng.integers(0, n, n), minlength=n) if n else np.empty(0, dtype=np.intp)
