"""Individual risk: the expected 1/F of a record, given the sample frequency and the sum of weights of its key.

f is the sample frequency of the key, F the sum of the survey weights of the records that share it and p = f / F.
Benedetti and Franconi (1998) take the population frequency given f as negative binomial with success probability
p; the alternative is the Poisson model of Skinner and Shlomo (2008). All functions take one entry per cell (or per
record) and refuse F < f: with a weight below one, a record would stand for less than its own person.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.jit import jit

_SMALL_F = 40  # above it, the series needs fewer than 30 terms whatever p
_PRECISION = 1e-17


def negative_binomial_risk(sample: NDArray[np.float64], population: NDArray[np.float64]) -> NDArray[np.float64]:
    """E(1/F | f) under the negative binomial: p^f / f · 2F1(f, f; f + 1; 1 - p), exactly.

    By Euler's transformation this is p / f · 2F1(1, 1; f + 1; 1 - p), which neither overflows nor cancels (sdcMicro
    gives no number for large f).
    """
    f, total = _check(sample, population)
    whole = f == np.floor(f)
    if whole.all():
        return _negative_binomial(f, total)
    risk = np.empty(f.size)
    risk[whole] = _negative_binomial(f[whole], total[whole])
    from scipy.special import hyp2f1  # doubtful matches count in part, so f may not be an integer

    p = f[~whole] / total[~whole]
    risk[~whole] = p / f[~whole] * hyp2f1(1.0, 1.0, f[~whole] + 1.0, 1.0 - p)
    return risk


def approximate_risk(sample: NDArray[np.float64], population: NDArray[np.float64]) -> NDArray[np.float64]:
    """The approximation of μ-ARGUS and sdcMicro: exact for f = 1 and 2, p / (f - (1 - p)) beyond.

    Hundepool et al. (2012), Statistical Disclosure Control, chapter 3.
    """
    f, total = _check(sample, population)
    p = f / total
    risk = p / (f - (1.0 - p))
    few = (f == 1.0) | (f == 2.0)
    risk[few] = _negative_binomial(f[few], total[few])
    return risk


def poisson_risk(sample: NDArray[np.float64], population: NDArray[np.float64]) -> NDArray[np.float64]:
    """E(1/F | f) when F - f is Poisson with mean F̂ - f: the integral of s^(f-1) exp(-m (1 - s)) over [0, 1]."""
    f, total = _check(sample, population)
    mean = total - f
    whole = f == np.floor(f)
    risk = np.empty(f.size)
    risk[whole] = _poisson(f[whole], mean[whole])
    if not whole.all():
        from scipy.special import hyp1f1

        risk[~whole] = hyp1f1(1.0, f[~whole] + 1.0, -mean[~whole]) / f[~whole]
    return risk


def _check(
    sample: NDArray[np.float64], population: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    f, total = np.asarray(sample, np.float64), np.asarray(population, np.float64)
    short = ~(total >= f * (1.0 - 1e-12))  # sums of weights carry rounding error
    if short.any():
        first = int(np.argmax(short))
        raise ValueError(
            f"{f[first]:g} records stand for {total[first]:g} people: survey weights below one (or missing) cannot be "
            "used for individual risk. Rescale the weights to the population."
        )
    return f, np.maximum(total, f)


def _negative_binomial(sample: NDArray[np.float64], population: NDArray[np.float64]) -> NDArray[np.float64]:
    risk = np.empty(sample.size)
    over_blocks(
        lambda a, b: _fill_negative_binomial(sample[a:b], population[a:b], risk[a:b]), sample.size, block=1 << 15
    )
    return risk


@jit
def _fill_negative_binomial(
    sample: NDArray[np.float64], population: NDArray[np.float64], risk: NDArray[np.float64]
) -> None:
    for i in range(sample.size):
        f = sample[i]
        p = f / population[i]
        q = 1.0 - p
        if p < 0.5 and f <= _SMALL_F:
            # J_f = integral of (1-t)^(f-1) / (1-qt): stable upwards while p < q
            j = -np.log(p) / q
            for step in range(1, int(f)):
                j = (1.0 / step - p * j) / q
            risk[i] = p * j
        else:
            term = 1.0
            total = 1.0
            k = 1.0
            while term > _PRECISION * total:
                term *= k / (f + k) * q
                total += term
                k += 1.0
            risk[i] = p / f * total


@jit
def _poisson(sample: NDArray[np.float64], mean: NDArray[np.float64]) -> NDArray[np.float64]:
    risk = np.empty(sample.size)
    for i in range(sample.size):
        f = sample[i]
        m = mean[i]
        if m > f:
            # f K_f + m K_{f+1} = 1: stable upwards while f < m
            k = -np.expm1(-m) / m
            for step in range(1, int(f)):
                k = (1.0 - step * k) / m
        else:
            # and downwards while f >= m, from so far above that the start does not matter
            top = f
            error = 1.0
            while error > _PRECISION:
                error *= m / top
                top += 1.0
            k = 1.0 / (top + m)
            while top > f:
                top -= 1.0
                k = (1.0 - m * k) / top
        risk[i] = k
    return risk
