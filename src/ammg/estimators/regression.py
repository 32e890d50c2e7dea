"""Regression on a masked file, corrected for the known covariance of the noise.

The moment estimator of Fuller (1987, section 2.2), β = (M_ZZ - Σ_uu)⁻¹ (M_ZY - Σ_uw), with noise in the response as
well as in the regressors, and standard errors from the variation of its estimating equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.errors import InputError
from ammg.estimators.records import as_means, as_noise_by_record, as_records, as_weights

Floats = NDArray[np.float64]


class Regression(NamedTuple):
    """Intercept first, then the slopes in the order of the regressors; `covariance` is that of the estimates."""

    coefficients: Floats
    covariance: Floats

    @property
    def standard_errors(self) -> Floats:
        """Square roots of the diagonal of the covariance."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))


def corrected_regression(
    masked: Any,
    noise: Any,
    response: int | str,
    regressors: Sequence[int | str],
    bias: Any = None,
    weights: Any = None,
) -> Regression:
    """Regress one masked column on others as if they had not been masked.

    `masked` is a matrix or a table of numbers; response and regressors are names or positions of its columns. `noise`
    is the noise covariance of all columns, one matrix for all or one per record, and `bias` its mean where that is not
    zero. Records with a missing value in a column that is used are left out. Standard errors make no assumption about
    the distribution of the noise or the residuals; with `weights`, they are those of a sample with unequal weights.
    They treat the noise covariance as known, as it is if it was published or the whole file is large.

    Raises:
        InputError: the regressors carry no information beyond the noise, or there are too few records.
    """
    records = as_records(masked)
    target, chosen = records.position(response), [records.position(column) for column in regressors]
    _check_regressors(target, chosen)
    size, width = records.values.shape
    used = [*chosen, target]
    columns = records.values[:, used] if bias is None else (records.values - as_means(bias, width))[:, used]
    covariances = as_noise_by_record(noise, size, width)[:, np.array(used)[:, None], used]
    weight = as_weights(weights, size)
    kept = ~np.isnan(columns).any(axis=1) if weight is None else ~np.isnan(columns).any(axis=1) & (weight > 0)
    if kept.sum() <= len(chosen) + 1:
        raise InputError(f"{int(kept.sum())} complete records do not determine {len(chosen) + 1} coefficients.")
    return _corrected(columns[kept], covariances[kept], np.ones(int(kept.sum())) if weight is None else weight[kept])


def _check_regressors(target: int, chosen: list[int]) -> None:
    if not chosen:
        raise InputError("There is no regressor: name at least one column.")
    if len(set(chosen)) < len(chosen) or target in chosen:
        raise InputError("A column is named twice among response and regressors: name each once.")


def _corrected(columns: Floats, noise: Floats, weight: Floats) -> Regression:
    """Solve the corrected equations; the last column is the response."""
    n, k = len(columns), columns.shape[1] - 1
    share = weight / weight.sum()
    centre = share @ columns
    centred, centred_y = columns[:, :k] - centre[:k], columns[:, k] - centre[k]
    noise_xx, noise_xy = noise[:, :k, :k], noise[:, :k, k]
    # Unweighted, Σw - Σw²/Σw is n - 1.
    divisor = 1 - (share**2).sum()
    moments = (centred * share[:, None]).T @ centred / divisor - np.tensordot(share, noise_xx, axes=1)
    values = np.linalg.eigvalsh(moments)
    if values[0] <= 1e-12 * values[-1]:
        raise InputError("The noise accounts for all variation of a combination of regressors: use fewer regressors.")
    slopes = np.linalg.solve(moments, (centred * share[:, None]).T @ centred_y / divisor - share @ noise_xy)

    residual = centred_y - centred @ slopes
    equations = centred * residual[:, None] - (noise_xy - noise_xx @ slopes)
    influence = equations @ np.linalg.inv(moments).T
    every = np.column_stack([residual - influence @ centre[:k], influence]) * share[:, None]
    covariance = every.T @ every * n / (n - k - 1)
    return Regression(np.r_[centre[k] - centre[:k] @ slopes, slopes], covariance)
