"""Goodness of fit as far as it matters for risk: the statistics B1 and B2 of Skinner and Shlomo (2008)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit
from ammg.kernels.population.log_linear.tau import derivatives


@dataclass(frozen=True)
class Goodness:
    """Estimated bias B of τ̂ and its variance under the model; z far above 0 means underfitting, below 0 overfitting.

    B is a test statistic, not an estimate to subtract: it overstates the bias.
    """

    bias: float
    variance: float

    @property
    def z(self) -> float:
        """B / sqrt(v); NaN if the whole population is in the sample."""
        return self.bias / float(np.sqrt(self.variance)) if self.variance > 0 else float("nan")


def goodness_of_fit(
    means: NDArray[np.float64],
    fraction: float,
    cells: NDArray[np.int64],
    counts: NDArray[np.float64],
    fractions: NDArray[np.float64],
    tau: int,
) -> Goodness:
    """B = Σ a_k e_k + b_k (e_k² - f_k) over all cells and v = Σ a_k² μ_k + 2 b_k² μ_k², the form of the slides.

    Args:
        means: Population means λ of all cells.
        fraction: Sampling fraction π of the cells that are empty in the sample.
        cells: The cells that are not.
        counts: Their sample counts.
        fractions: Their sampling fractions (all equal to `fraction` without survey weights).
        tau: 1 or 2.
    """
    return Goodness(*_goodness(means, fraction, cells, counts, fractions, tau))


@jit
def coefficients(mean: float, fraction: float, tau: int) -> tuple[float, float]:
    """a = -λ exp(-μ) h'(λ) and b = λ exp(-μ) h''(λ) / (2π) with μ = πλ."""
    _, first, second = derivatives(mean, 1.0 - fraction, tau)
    weight = mean * np.exp(-fraction * mean)
    return -weight * first, weight * second / (2.0 * fraction)


@jit
def _goodness(
    means: NDArray[np.float64],
    fraction: float,
    cells: NDArray[np.int64],
    counts: NDArray[np.float64],
    fractions: NDArray[np.float64],
    tau: int,
) -> tuple[float, float]:
    bias = 0.0
    variance = 0.0
    for k in range(means.size):
        if means[k] > 0.0:
            a, b = coefficients(means[k], fraction, tau)
            mu = fraction * means[k]
            bias += mu * (b * mu - a)  # as if the cell were empty: e = -μ, f = 0
            variance += mu * (a * a + 2.0 * b * b * mu)
    for i in range(cells.size):
        mean = means[cells[i]]
        if mean > 0.0:
            a, b = coefficients(mean, fraction, tau)
            mu = fraction * mean
            bias -= mu * (b * mu - a)
            variance -= mu * (a * a + 2.0 * b * b * mu)
            a, b = coefficients(mean, fractions[i], tau)
            mu = fractions[i] * mean
            e = counts[i] - mu
            bias += a * e + b * (e * e - counts[i])
            variance += mu * (a * a + 2.0 * b * b * mu)
    return bias, variance
