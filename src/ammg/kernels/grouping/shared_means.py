"""Values for grouped records: z-scores to form the groups, and means shared by at least k records."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.grouping.partitions import centroids
from ammg.kernels.jit import jit
from ammg.kernels.threads import in_threads

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def standard_scores(values: Floats) -> Floats:
    """Subtract the mean and divide by the standard deviation; constant columns become zero, missing values stay."""
    scores = np.empty_like(values, dtype=np.float64)

    def standardise(j: int) -> None:
        scores[:, j] = values[:, j]
        seen = ~np.isnan(scores[:, j])
        is_complete = bool(seen.all())
        observed = scores[:, j] if is_complete else scores[seen, j]
        spread = float(observed.std(ddof=1)) if len(observed) > 1 else 0.0
        # The spread of equal large numbers is only rounding error.
        varies = spread > 1e-13 * max(float(observed.max(initial=0.0)), -float(observed.min(initial=0.0)))
        if varies:
            observed -= observed.mean()
            observed /= spread
        else:
            observed[:] = 0.0
        if not is_complete:
            scores[seen, j] = observed

    in_threads(standardise, range(scores.shape[1]), scores.size)
    return scores


def shared_means(values: Floats, group: Integers, k: int, weights: Floats | None = None) -> Floats:
    """Replace values by the (weighted) mean of their group's observed values; missing values stay.

    A mean of fewer than k values would disclose too much. Groups with fewer observed values in a column share the mean
    of several such groups, neighbours by their means, or of the nearest full group if all of them have fewer than k
    values. So every mean is based on at least k values, totals are kept, and a group still has one value per column:
    its records differ only in what is missing.
    """
    masked, means = np.empty(values.shape, order="F"), centroids(values, group, weights)

    def share(j: int) -> bool:
        np.take(np.ascontiguousarray(means[:, j]), group, out=masked[:, j], mode="clip")
        missing = np.isnan(values[:, j])
        has_missing = bool(missing.any())
        if has_missing:
            masked[missing, j] = np.nan
        return has_missing

    for j in np.flatnonzero(in_threads(share, range(values.shape[1]), values.size)):
        seen = ~np.isnan(values[:, j])
        counts = np.bincount(group[seen], minlength=int(group.max()) + 1)
        if ((counts > 0) & (counts < k)).any():
            column = values[seen, j][:, None]
            alone = centroids(column, group[seen], weights=None)[:, 0]
            wider = _merged(alone, counts[: len(alone)], k)[group[seen]]
            masses = None if weights is None else weights[seen]
            masked[seen, j] = centroids(column, wider, masses)[wider, 0]
    return masked


def _merged(means: Floats, counts: Integers, k: int) -> Integers:
    """Merge groups until each has k observed values; groups with enough stay alone unless one is needed."""
    wider = np.arange(len(counts), dtype=np.int64)
    few = np.flatnonzero((counts > 0) & (counts < k))
    if counts[few].sum() < k:
        full = np.flatnonzero(counts >= k)
        if not len(full):
            raise ValueError("Fewer than k values are observed in a column.")
        centre = np.average(means[few], weights=counts[few])
        wider[few] = full[np.argmin(np.abs(means[full] - centre))]
        return wider
    few = few[np.argsort(means[few], kind="stable")]
    wider[few] = few[_first_of_each(counts[few].astype(np.int64), k)]
    return wider


@jit
def _first_of_each(counts: Integers, k: int) -> Integers:
    """Cut neighbours into runs of at least k values; returns the position of the first of its run for each."""
    first = np.empty(len(counts), dtype=np.int64)
    start, total, before = 0, 0, 0
    for i in range(len(counts)):
        first[i] = start
        total += counts[i]
        if total >= k:
            before, start, total = start, i + 1, 0
    for i in range(start, len(counts)):  # a remainder that is too small joins the last run
        first[i] = before
    return first
