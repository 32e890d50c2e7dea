"""Products and squares of masked columns, as regressors and in moments.

Fuller (1993, "Masking procedures for microdata disclosure limitation"): the error of a product of noisy columns depends
on the values themselves, x₁u₂ + x₂u₁ + u₁u₂, but its covariance can be estimated record by record from the masked
values and the noise covariance. The formulas take the third moments of the noise as zero and its fourth as normal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.errors import InputError
from ammg.estimators.records import as_noise, as_records
from ammg.kernels.pairwise import Moments, pairwise_moments

Floats = NDArray[np.float64]


class NoisyColumns(NamedTuple):
    """Columns with the covariance of their noise in each record; ready for `corrected_regression`."""

    values: Floats
    noise: Floats

    @property
    def moments(self) -> Moments:
        """Means and covariances of the columns without noise, from the records in which nothing is missing."""
        complete = ~np.isnan(self.values).any(axis=1)
        if complete.sum() < 2:
            raise InputError(f"{int(complete.sum())} records have no missing value: moments need at least two.")
        observed = pairwise_moments(self.values[complete])
        return Moments(observed.mean, observed.cov - self.noise[complete].mean(axis=0))


def add_products(masked: Any, noise: Any, pairs: Sequence[tuple[int | str, int | str]]) -> NoisyColumns:
    """Append the product of each pair of columns (a square if both are the same), corrected for bias.

    `noise` is the covariance matrix of the noise in the columns of `masked`. E(z_a z_b) = x_a x_b + σ_ab, so σ_ab is
    subtracted; the noise of the result has mean zero and, for each record t, the returned covariance. Pairs are names
    or positions; the products follow the columns, in the order of the pairs.
    """
    records = as_records(masked)
    places = [(records.position(a), records.position(b)) for a, b in pairs]
    return _with_products(records.values, as_noise(noise, records.values.shape[1]), places)


def _with_products(masked: Floats, noise: Floats, pairs: Sequence[tuple[int, int]]) -> NoisyColumns:
    n, columns = masked.shape
    size = columns + len(pairs)
    products = [masked[:, a] * masked[:, b] - noise[a, b] for a, b in pairs]
    covariances = np.empty((n, size, size))
    covariances[:, :columns, :columns] = noise
    for p, (a, b) in enumerate(pairs, start=columns):
        with_columns = masked[:, [a]] * noise[b] + masked[:, [b]] * noise[a]
        covariances[:, p, :columns] = covariances[:, :columns, p] = with_columns
        for q, (c, d) in enumerate(pairs, start=columns):
            covariances[:, p, q] = (
                masked[:, a] * masked[:, c] * noise[b, d]
                + masked[:, a] * masked[:, d] * noise[b, c]
                + masked[:, b] * masked[:, c] * noise[a, d]
                + masked[:, b] * masked[:, d] * noise[a, c]
                - noise[a, c] * noise[b, d]
                - noise[a, d] * noise[b, c]
            )
    return NoisyColumns(np.column_stack([masked, *products]) if pairs else masked, covariances)
