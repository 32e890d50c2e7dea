"""Counts, means and covariances, pairwise complete, weighted or not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ammg.data.block import Block
from ammg.summaries.summary import Summary

Matrix = NDArray[np.float64]

_FAR = 1e9  # a mean this many times the range away from zero


@dataclass(frozen=True, eq=False)
class MomentState:
    """Sums for each pair (j, k) of columns over records where both are observed: `mean[j, k]` is the mean of j."""

    count: Matrix
    weight: Matrix
    weight_squared: Matrix
    mean: Matrix
    cross: Matrix


@dataclass(frozen=True, eq=False)
class MomentValues:
    """Means and covariances of columns, each over the records in which it is observed."""

    count: NDArray[np.float64]
    mean: NDArray[np.float64]
    covariance: Matrix
    mean_beside: Matrix
    """Entry [j, k] is the mean of j over the records in which k is also observed."""

    def first(self, size: int) -> MomentValues:
        """The moments of the first columns."""
        few = slice(size)
        return MomentValues(self.count[few], self.mean[few], self.covariance[few, few], self.mean_beside[few, few])

    @property
    def deviation(self) -> NDArray[np.float64]:
        """Standard deviations; 0 where fewer than two values are observed."""
        return np.sqrt(np.diag(self.covariance))


class Moments(Summary[MomentState, MomentValues]):
    """Means and covariances with divisor n-1; with weights, Σw(x-m)(x-m)' / (Σw - Σw²/Σw)."""

    def __init__(self, columns: tuple[str, ...], weight: str | None = None) -> None:
        self.variables = columns
        self.weight = weight
        self.columns = (*columns, weight) if weight else columns

    def add(self, block: Block) -> MomentState:
        """Partial moments of a chunk, about the chunk's own means."""
        values = [block.numbers(name) for name in self.variables]
        weights = block.numbers(self.weight) if self.weight else None
        size = len(values)
        count, weight, squared, mean, cross = (np.zeros((size, size)) for _ in range(5))
        observed = [~np.isnan(column) for column in values]
        complete = [bool(seen.all()) for seen in observed]
        centred = [_centre(column, weights) if whole else None for column, whole in zip(values, complete, strict=True)]
        for j in range(size):
            for k in range(j + 1):
                left, right = centred[j], centred[k]
                if left is not None and right is not None:
                    w = weights
                    (mean_j, x), (mean_k, y) = left, right
                else:
                    both = observed[j] & observed[k]
                    w = None if weights is None else weights[both]
                    (mean_j, x), (mean_k, y) = _centre(values[j][both], w), _centre(values[k][both], w)
                count[j, k] = count[k, j] = len(x)
                weight[j, k] = weight[k, j] = len(x) if w is None else w.sum()
                squared[j, k] = squared[k, j] = len(x) if w is None else np.square(w).sum()
                mean[j, k], mean[k, j] = mean_j, mean_k
                product = x * y
                cross[j, k] = cross[k, j] = product.sum() if w is None else (w * product).sum()
        return MomentState(count, weight, squared, mean, cross)

    def merge(self, left: MomentState, right: MomentState) -> MomentState:
        """Merge by the updating formulas of Chan, Golub and LeVeque (1983)."""
        weight = left.weight + right.weight
        share = np.divide(right.weight, weight, out=np.zeros_like(weight), where=weight > 0)
        shift = np.where(left.weight > 0, right.mean - left.mean, right.mean)
        mean = np.where(left.weight > 0, left.mean + shift * share, right.mean)
        between = np.where(left.weight > 0, shift * shift.T * left.weight * share, 0.0)
        return MomentState(
            left.count + right.count,
            weight,
            left.weight_squared + right.weight_squared,
            mean,
            left.cross + right.cross + between,
        )

    def finish(self, state: MomentState | None) -> MomentValues:
        """Means and covariances; zero covariance where a pair has fewer than two common records."""
        size = len(self.variables)
        if state is None:
            return MomentValues(np.zeros(size), np.zeros(size), np.zeros((size, size)), np.zeros((size, size)))
        if self.weight:
            relative = np.divide(
                state.weight_squared, state.weight, out=np.zeros_like(state.weight), where=state.weight > 0
            )
            divisor = state.weight - relative
        else:
            divisor = state.count - 1
        enough = (state.count >= 2) & (divisor > 0)
        covariance = np.divide(state.cross, divisor, out=np.zeros_like(state.cross), where=enough)
        return MomentValues(np.diag(state.count).copy(), np.diag(state.mean).copy(), covariance, state.mean)


def _centre(values: Matrix, weights: Matrix | None) -> tuple[float, Matrix]:
    if len(values) == 0:
        return 0.0, values
    total = float(len(values)) if weights is None else float(weights.sum())
    if total <= 0:
        return 0.0, values
    mean = float(values.mean()) if weights is None else float((weights * values).sum() / total)
    residuals = values - mean
    if abs(mean) > _FAR * (residuals.max() - residuals.min()):
        # Here the rounding of the mean is not small compared with the spread: a second pass removes it.
        residuals = residuals - float(residuals.mean() if weights is None else (weights * residuals).sum() / total)
    return mean, residuals
