"""Means and covariances of records with missing values, each from all records that have the values it needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.columns import Profile, covariances, extent, in_columns
from ammg.kernels.threads import in_threads

Floats = NDArray[np.float64]

_ROWS = 1 << 14  # that a thread centres at a time
_FEW = 64  # values that often tell that a column varies


class Moments(NamedTuple):
    """Means and covariance matrix of some columns (divisor n - 1, or its weighted counterpart)."""

    mean: Floats
    cov: Floats

    @property
    def sd(self) -> Floats:
        """Standard deviations, zero for constant columns."""
        return np.sqrt(np.maximum(np.diag(self.cov), 0.0))

    @property
    def correlation(self) -> Floats:
        """Correlations; zero for constant columns."""
        scale = self.sd
        inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
        return np.asarray(self.cov * np.outer(inverse, inverse))


def pairwise_moments(records: Floats, weights: Floats | None = None) -> Moments:
    """Compute means from the observed values and covariances from the pairs observed together.

    Weighted: mean = Σwx/Σw, covariance = Σw(x-m)(y-m')/(Σw - Σw²/Σw), both means over the pairs. With missing values
    the matrix need not be positive semi-definite (`ammg.kernels.psd.nearest_psd`). A column or pair that is never
    observed, or only once, has NaN.
    """
    n, columns = records.shape
    weight = np.ones(n) if weights is None else weights
    if np.isnan(weight).any() or (weight < 0).any():
        raise ValueError("Weights must be numbers of at least zero.")
    complete = not has_missing(records)
    seen = np.empty((0, columns)) if complete else (~np.isnan(records)).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        # Sums of deviations from the mean lose no digits if the mean is far from zero.
        if complete:
            sums = np.full(columns, float(n)) if weights is None else weight @ np.ones(records.shape)
            mean = np.where(sums > 0, (weight @ records) / sums, np.nan)
        else:
            sums = weight @ np.ascontiguousarray(seen)
            mean = np.where(sums > 0, (weight @ np.where(seen > 0, records, 0.0)) / sums, np.nan)
        centred, weighted = deviations(records, mean, weight, None if complete else seen)
        if complete:
            total = np.full((columns, columns), weight.sum())
            squares = np.full((columns, columns), (weight**2).sum())
            shift: Floats | float = 0.0
        else:
            total = (seen * weight[:, None]).T @ seen
            squares = (seen * weight[:, None] ** 2).T @ seen
            partial = weighted.T @ seen
            shift = partial * partial.T / total
        products = weighted.T @ centred - shift
        divisor = total - squares / total
        cov = np.where(divisor > 0, products / divisor, np.nan)
    exactly_constant = np.array([_is_constant(records[:, j]) for j in range(columns)], dtype=bool)
    mean[exactly_constant] = _first_observed(records[:, exactly_constant])
    cov[exactly_constant] = np.where(np.isnan(cov[exactly_constant]), np.nan, 0.0)
    cov[:, exactly_constant] = np.where(np.isnan(cov[:, exactly_constant]), np.nan, 0.0)
    return Moments(mean, cov)


def deviations(records: Floats, mean: Floats, weight: Floats, seen: Floats | None = None) -> tuple[Floats, Floats]:
    """Deviations from the means, and the same times the weights of the records; zero where `seen` is."""
    centred, weighted = np.empty_like(records), np.empty_like(records)

    def centre(start: int, stop: int) -> None:
        rows = slice(start, stop)
        np.subtract(records[rows], mean, out=centred[rows])
        if seen is not None:
            centred[rows][seen[rows] == 0] = 0.0
        np.multiply(centred[rows], weight[rows, None], out=weighted[rows])

    over_blocks(centre, len(records), block=_ROWS, brief=True)
    return centred, weighted


def moments(columns: Sequence[Floats], profiles: Sequence[Profile]) -> Moments:
    """The same without weights, from single columns and their profiles, without arrays of their length."""
    n = len(columns[0])
    if n < 2 or any(found.observed < n for found in profiles):
        return pairwise_moments(in_columns(columns, n))
    mean = np.array([found.mean for found in profiles])
    cov = covariances(columns, mean)
    cov[np.diag_indices(len(columns))] = [found.squares / (n - 1) for found in profiles]
    constant = [place for place, found in enumerate(profiles) if found.is_constant]
    cov[constant] = 0.0
    cov[:, constant] = 0.0
    return Moments(mean, cov)


def complete_records(records: Floats) -> Floats:
    """The records without a missing value; the same array if there is none."""
    if not has_missing(records):
        return records
    return records[~np.isnan(records).any(axis=1)]


def has_missing(records: Floats) -> bool:
    """Whether any value is missing."""
    return any(in_threads(_misses_any, records.T, records.size))


def fill_missing(records: Floats) -> Floats:
    """Replace each missing value by the mean of its column, or by zero if the column has no value."""
    missing = np.isnan(records)
    mean = np.where(missing, 0.0, records).sum(axis=0) / np.maximum((~missing).sum(axis=0), 1)
    return np.where(missing, mean, records)


def _first_observed(records: Floats) -> Floats:
    first = np.argmax(~np.isnan(records), axis=0)
    return np.asarray(records[first, np.arange(records.shape[1])])


def _is_constant(values: Floats) -> bool:
    """Whether all observed values are equal: rounding in the mean must not count as variation."""
    least, greatest = extent(values[:_FEW])
    if least < greatest:
        return False
    least, greatest = extent(values)
    return least == greatest


def _misses_any(column: Floats) -> bool:
    return bool(np.isnan(column).any())
