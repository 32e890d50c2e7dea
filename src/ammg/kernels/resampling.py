"""Replace a column by the order statistics of samples drawn from it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.rank_swap import random_order

Floats = NDArray[np.float64]


def resample_ranks(values: Floats, samples: int, rng: np.random.Generator) -> Floats:
    """Give the record of rank i the average of the i-th smallest values of `samples` samples with replacement.

    Resampling of Mateo-Sanz, Sebé and Domingo-Ferrer (2004). Ranks are kept and values stay in range; with one sample
    they are values of the file. A sorted sample is the sorted column with each value repeated as often as it was
    drawn, so no sample is ever sorted. `values` hold no missing value; equal values are ranked at random.
    """
    if samples < 1:
        raise ValueError(f"Resampling needs at least one sample, not {samples}.")
    n = len(values)
    order = random_order(values, rng)
    ranked = values[order]
    total = np.zeros(n)
    for _ in range(samples):
        drawn = np.bincount(rng.integers(0, n, n), minlength=n) if n else np.empty(0, dtype=np.intp)
        total += np.repeat(ranked, drawn)
    resampled = np.empty_like(values)
    # A mean of equal numbers can leave their range by a rounding error; the file's range is a promise.
    resampled[order] = np.clip(total / samples, ranked[:1].min(initial=np.inf), ranked[-1:].max(initial=-np.inf))
    return resampled
