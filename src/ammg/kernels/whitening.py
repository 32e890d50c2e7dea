"""Exact sample moments: orthonormal scores of a file, and variates made white and uncorrelated with it.

Inner products are weighted sums; "unit" means variance one with divisor n - 1, or Σw - Σw²/Σw with weights.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.pairwise import deviations
from ammg.kernels.psd import RANK_TOLERANCE

Floats = NDArray[np.float64]


class Scores(NamedTuple):
    """A file as mean + unit @ loading, where the columns of `unit` have unit variances and no correlation.

    `axes` gives the direction of each column of `unit` among the standardised columns of the file. Signs, and the
    choice among axes of equal length, depend on the linear algebra library.
    """

    mean: Floats
    unit: Floats
    loading: Floats
    axes: Floats

    @property
    def rank(self) -> int:
        """Dimensions in which the file varies."""
        return int(self.unit.shape[1])


def orthonormal_scores(records: Floats, weights: Floats | None = None) -> Scores:
    """Decompose a file by QR of its standardised columns and the singular values of R: O(n m²), valid if singular."""
    _check_complete(records)
    weight, divisor = _weights(records, weights)
    mean = weight @ records / weight.sum()
    constant = (records == records[:1]).all(axis=0)
    mean[constant] = records[0, constant]  # rounding in the mean must not count as variation
    centred = records - mean
    scale = np.sqrt(weight @ centred**2 / divisor)
    standardised = centred * np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
    triangle = np.linalg.qr(standardised * np.sqrt(weight / divisor)[:, None], mode="r")
    _, values, right = np.linalg.svd(triangle)
    kept = values**2 > RANK_TOLERANCE * max(float(values[0]) ** 2, np.finfo(float).tiny)
    turned = right[kept].T
    unit = standardised @ (turned / values[kept])
    return Scores(mean, unit, (turned * values[kept]).T * scale, turned)


def whiten(variates: Floats, weights: Floats | None = None) -> Floats:
    """Centre variates and give them exact unit variances and no correlation, changing them as little as possible.

    The symmetric root makes the smallest change and treats all columns alike.

    Raises:
        ValueError: the number of independent records does not exceed the number of columns.
    """
    weight, divisor = _weights(variates, weights)
    centred, weighted = deviations(variates, weight @ variates / weight.sum(), weight / divisor)
    values, vectors = np.linalg.eigh(weighted.T @ centred)
    if len(values) and values[0] <= 1e-10 * values[-1]:
        raise ValueError(f"{variates.shape[0]} records are too few for {variates.shape[1]} independent columns.")
    return np.asarray(centred @ ((vectors / np.sqrt(values)) @ vectors.T))


def remove_scores(variates: Floats, scores: Scores, weights: Floats | None = None) -> Floats:
    """Centre variates and remove what the scores explain; a second pass removes the rounding of the first."""
    weight, divisor = _weights(variates, weights)
    residual = variates - weight @ variates / weight.sum()
    for _ in range(2):
        residual = residual - scores.unit @ ((scores.unit * (weight / divisor)[:, None]).T @ residual)
    return np.asarray(residual)


def _check_complete(records: Floats) -> None:
    if not np.isfinite(records).all():
        raise ValueError("Exact moments need complete records: some values are missing or infinite.")


def _weights(records: Floats, weights: Floats | None) -> tuple[Floats, float]:
    weight = np.ones(len(records)) if weights is None else weights
    total = float(weight.sum())
    divisor = total - float((weight**2).sum()) / total if total > 0 else 0.0
    if not divisor > 0:
        raise ValueError(f"{len(records)} records have no variance: at least two with positive weight are needed.")
    return weight, divisor
