"""From fitted means to risk: τ1 and τ2, their derivatives, and the risk of single records.

λ is the mean of the population frequency of a cell, π the sampling fraction and c = 1 - π; then F - f given f is
Poisson with mean m = cλ. τ1 is the number of sample uniques that are population uniques, τ2 the sum of 1/F
over sample uniques.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit

_SERIES = 1e-3  # below this m the closed forms of τ2 lose digits
_FAR = 50.0


@jit
def derivatives(mean: float, rest: float, tau: int) -> tuple[float, float, float]:
    """h(λ), h'(λ) and h''(λ) of the chosen τ: the risk of a sample unique in a cell with population mean λ.

    τ1: h = exp(-cλ). τ2: h = (1 - exp(-cλ)) / (cλ). `rest` is c, the share of the population outside the sample.
    """
    m = rest * mean
    if tau == 1:
        h = np.exp(-m)
        return h, -rest * h, rest * rest * h
    if m < _SERIES:
        h = 1.0 - m / 2.0 + m * m / 6.0 - m * m * m / 24.0
        first = rest * (-1.0 / 2.0 + m / 3.0 - m * m / 8.0)
        second = rest * rest * (1.0 / 3.0 - m / 4.0 + m * m / 10.0)
        return h, first, second
    gone = np.exp(-m)
    h = -np.expm1(-m) / m
    return h, (gone - h) / mean, (2.0 * (h - gone) - m * gone) / (mean * mean)


def unique_risk(mean: NDArray[np.float64], fraction: NDArray[np.float64] | float, tau: int) -> NDArray[np.float64]:
    """P(F = 1 | f = 1) for τ1, E(1/F | f = 1) for τ2, in cells with these population means."""
    m = (1.0 - np.asarray(fraction)) * mean
    if tau == 1:
        return np.exp(-m)
    small = np.maximum(m, _SERIES)
    return np.where(m < _SERIES, 1.0 - m / 2.0 + m**2 / 6.0 - m**3 / 24.0, -np.expm1(-small) / small)


def record_risk(
    counts: NDArray[np.float64], mean: NDArray[np.float64], fraction: NDArray[np.float64] | float, tau: int
) -> NDArray[np.float64]:
    """P(F = f | f) for τ1 and E(1/F | f) for τ2 in cells with any sample count f >= 1."""
    from ammg.kernels.population.individual_risk import poisson_risk

    m = (1.0 - np.asarray(fraction)) * mean
    return np.exp(-m) if tau == 1 else poisson_risk(counts, counts + m)


def conditional_variance(
    mean: NDArray[np.float64], fraction: NDArray[np.float64] | float, tau: int
) -> NDArray[np.float64]:
    """Variance, given the sample and the model, of the contribution of a unique cell to τ (Rinott and Shlomo 2007).

    τ1: h (1 - h). τ2: E(1/F²) - h² with F = 1 + Poisson(m).
    """
    h = unique_risk(mean, fraction, tau)
    if tau == 1:
        return h * (1.0 - h)
    return np.maximum(mean_inverse_square((1.0 - np.asarray(fraction)) * mean) - h**2, 0.0)


def mean_inverse_square(m: NDArray[np.float64]) -> NDArray[np.float64]:
    """E(1/F²) for F = 1 + Poisson(m): exp(-m) (Ei(m) - γ - ln m) / m, by its series of positive terms."""
    m = np.asarray(m, np.float64)
    near = np.minimum(m, _FAR)
    term = np.exp(-near)
    total = term.copy()
    for k in range(2, 200):  # exp(-m) Σ m^(k-1) / (k k!)
        term = term * near / k
        total += term / k
    far = np.maximum(m, _FAR)
    asymptotic = np.ones_like(far)
    step = np.ones_like(far)
    for k in range(1, 25):  # exp(-m) Ei(m) ~ (1/m) Σ k! / m^k
        step = step * k / far
        asymptotic += step
    return np.where(m < _FAR, total, asymptotic / far**2)
