"""Regression on a masked file, corrected for the known covariance of the noise.

The moment estimator of Fuller (1987, section 2.2), β = (M_ZZ - Σ_uu)⁻¹ (M_ZY - Σ_uw), with noise in the response as
well as in the regressors, and standard errors from the variation of its estimating equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Regression(NamedTuple):
    """Intercept first, then the slopes in the order of the regressors; `covariance` is that of these estimates."""

    coefficients: Floats
    covariance: Floats

    @property
    def standard_errors(self) -> Floats:
        """Square roots of the diagonal of the covariance."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))


def corrected_regression(
    masked: Floats,
    noise: Floats,
    response: int,
    regressors: Sequence[int],
    bias: Floats | None = None,
) -> Regression:
    """Regress one masked column on others as if they had not been masked.

    `noise` is the covariance of the noise in all columns of `masked`, one matrix or one for each record, and
    `bias` its mean where that is not zero. Standard errors make no assumption on the law of the noise or of the
    residuals; they treat the noise covariance as known, as it is when it was published or the whole file is large.

    Raises:
        ValueError: the regressors carry no information beyond the noise, or there are too few records.
    """
    n, chosen = len(masked), list(regressors)
    if n <= len(chosen) + 1:
        raise ValueError(f"{n} records do not determine {len(chosen) + 1} coefficients.")
    columns = masked if bias is None else masked - bias
    x, y = columns[:, chosen], columns[:, response]
    per_record = np.broadcast_to(noise, (n, *noise.shape[-2:]))
    noise_xx = per_record[:, chosen][:, :, chosen]
    noise_xy = per_record[:, chosen, response]

    centred, centred_y = x - x.mean(axis=0), y - y.mean()
    moments = centred.T @ centred / (n - 1) - noise_xx.mean(axis=0)
    if np.linalg.eigvalsh(moments)[0] <= 1e-12 * np.linalg.eigvalsh(moments)[-1]:
        raise ValueError("The noise accounts for all variation of a combination of regressors: take fewer of them.")
    slopes = np.linalg.solve(moments, centred.T @ centred_y / (n - 1) - noise_xy.mean(axis=0))

    residual = centred_y - centred @ slopes
    equations = centred * residual[:, None] - (noise_xy - noise_xx @ slopes)
    bread = np.linalg.inv(moments)
    influence = equations @ bread.T
    intercept_influence = residual - influence @ x.mean(axis=0)
    every = np.column_stack([intercept_influence, influence])
    covariance = every.T @ every / n / (n - len(chosen) - 1)
    return Regression(np.r_[y.mean() - x.mean(axis=0) @ slopes, slopes], covariance)
