"""Estimate from a sample how many people are population uniques on a key.

The input is always the histogram of class sizes, s_j = number of cells with j sample records (j = 1, 2, ...), and the
sampling fraction. All estimators return the number of population uniques; NaN if the model has no solution.
Dankar, El Emam, Neisa and Roffey (2012), BMC Medical Informatics and Decision Making 12:66, with its appendix.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_LEAST, _MOST = 1e-9, 1.0 - 1e-9
_SOLVED = 1e-7


@dataclass(frozen=True, eq=False)
class ClassSizes:
    """Distinct class sizes of a sample, the number of classes of each size, and the sampling fraction."""

    sizes: NDArray[np.float64]
    classes: NDArray[np.float64]
    fraction: float

    @property
    def uniques(self) -> float:
        """Sample uniques."""
        return float(self.classes[self.sizes == 1].sum())

    @property
    def records(self) -> float:
        """Size of the sample."""
        return float(self.sizes @ self.classes)

    @property
    def population(self) -> float:
        """Size of the population."""
        return self.records / self.fraction


def class_sizes(counts: NDArray[np.int64], fraction: float) -> ClassSizes:
    """Histogram of the sample frequencies of the cells."""
    if not 0 < fraction <= 1:
        raise ValueError(f"The sampling fraction must lie in (0, 1]; it is {fraction}.")
    histogram = np.bincount(counts)
    sizes = np.flatnonzero(histogram[1:]) + 1
    return ClassSizes(sizes.astype(np.float64), histogram[sizes].astype(np.float64), fraction)


def zayatz_uniques(sample: ClassSizes) -> float:
    """Zayatz (1991): class sizes in the population have the same distribution as in the sample.

    P(F=1 | f=1) follows by Bayes' rule, with f given F hypergeometric; each sample unique then stands for 1/fraction
    people.
    """
    from scipy.special import gammaln

    if sample.uniques == 0:
        return 0.0
    n, population, j = sample.records, sample.population, sample.sizes

    def log_choose(a: NDArray[np.float64] | float, b: NDArray[np.float64] | float) -> NDArray[np.float64]:
        return np.asarray(gammaln(np.add(a, 1)) - gammaln(np.add(b, 1)) - gammaln(np.subtract(a, b) + 1))

    # a class of j people shows one: the other n-1 sample records come from the remaining N-j
    possible = population - j >= n - 1
    j, share = j[possible], sample.classes[possible] / sample.classes.sum()
    log_one = np.log(j) + log_choose(population - j, n - 1) - log_choose(population, n)
    one = share * np.exp(log_one)
    return float(sample.uniques * one[j == 1].sum() / one.sum() / sample.fraction)


def pitman_uniques(sample: ClassSizes) -> float:
    """Pitman's sampling formula, which gives the expected number of uniques of a population of size N in closed form.

    Γ(θ+1) / Γ(θ+α) · Γ(θ+α+N-1) / Γ(θ+N) · N (Hoshino 2001, J. Official Statistics 17; ARX drops the lower-order
    terms, Γ(θ+1) / Γ(θ+α) · N^α).
    """
    from scipy.special import gammaln

    if sample.uniques == 0:
        return 0.0
    if sample.uniques == sample.records:  # all unique: the likelihood increases in α without bound
        return sample.population
    alpha, theta = pitman_parameters(sample)
    size = sample.population
    log_share = gammaln(theta + 1) - gammaln(theta + alpha) + gammaln(theta + alpha + size - 1) - gammaln(theta + size)
    return float(size * np.exp(log_share))


def pitman_parameters(sample: ClassSizes) -> tuple[float, float]:
    """Maximum likelihood estimates of α and θ, Π (θ + iα) / Π (θ + i) · Π Π (i - α); NaN without an inner maximum."""
    from scipy.optimize import minimize
    from scipy.special import expit, gammaln, logit

    n, u = sample.records, float(sample.classes.sum())

    def parameters(z: NDArray[np.float64]) -> tuple[float, float]:
        alpha = float(np.clip(expit(z[0]), _LEAST, _MOST))
        return alpha, float(np.exp(z[1])) - alpha

    def loss(z: NDArray[np.float64]) -> float:
        alpha, theta = parameters(z)
        grow = (u - 1) * np.log(alpha) + gammaln(theta / alpha + u) - gammaln(theta / alpha + 1)
        sizes = sample.classes @ (gammaln(sample.sizes - alpha) - gammaln(1 - alpha))
        return float(-(grow - gammaln(theta + n) + gammaln(theta + 1) + sizes))

    start = np.array([logit(np.clip(sample.uniques / u, 0.05, 0.95)), np.log(max(1.0, u / 4))])
    found = minimize(loss, start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-9, "maxiter": 4000})
    alpha, theta = parameters(found.x)
    if not np.isfinite(found.fun) or not 10 * _LEAST < alpha < 1 - 10 * _LEAST or theta <= -alpha:
        return float("nan"), float("nan")
    return alpha, theta


@lru_cache(maxsize=8)  # used for the same sample by itself and by the rule of Dankar et al.
def snb_uniques(sample: ClassSizes) -> float:
    """Slide negative binomial: population classes have 1 + NB(r, p) members (Chen and Keller-McNulty 1998).

    A class then shows B + X records, B Bernoulli with the sampling fraction π and X negative binomial with the same r
    and p / (1 - (1-p)(1-π)). The number of classes is Shlosser's estimate; r and p are chosen so that the expected
    numbers of sample classes of size 1 and 2 equal the observed ones; p^r of the classes have one member.
    """
    from scipy.optimize import least_squares
    from scipy.special import expit

    if sample.uniques == 0:
        return 0.0
    pi, population_classes = sample.fraction, shlosser_classes(sample)
    observed = np.array([float(sample.classes[sample.sizes == size].sum()) for size in (1, 2)]) / population_classes

    def residuals(z: NDArray[np.float64]) -> NDArray[np.float64]:
        r, p = np.exp(z[0]), expit(z[1])
        shown = p / (1.0 - (1.0 - p) * (1.0 - pi))
        none = shown**r
        one = r * (1.0 - shown) * none
        two = (r + 1.0) / 2.0 * (1.0 - shown) * one
        expected = np.array([(1.0 - pi) * one + pi * none, (1.0 - pi) * two + pi * one])
        return np.asarray((expected - observed) / np.maximum(observed, _LEAST))

    for start in [(r, p) for r in (-3.0, -1.0, 1.0) for p in (-4.0, -1.0, 2.0)]:
        found = least_squares(residuals, start, bounds=([-15, -20], [15, 20]), xtol=1e-14, ftol=1e-14, gtol=1e-14)
        if np.max(np.abs(found.fun)) < _SOLVED:
            return float(population_classes * expit(found.x[1]) ** np.exp(found.x[0]))
    return float("nan")


def shlosser_classes(sample: ClassSizes) -> float:
    """Number of classes in the population: those observed, and an estimate of those missed (Shlosser 1981)."""
    seen, pi, j = float(sample.classes.sum()), sample.fraction, sample.sizes
    missed = sample.classes @ (1.0 - pi) ** j
    weight = sample.classes @ (j * pi * (1.0 - pi) ** (j - 1.0))
    return seen + sample.uniques * float(missed / weight) if weight > 0 else seen


def dankar_uniques(sample: ClassSizes) -> tuple[float, str]:
    """The decision rule of Dankar et al. (2012), and the model it chose.

    Up to a sampling fraction of 0.1 Pitman, or Zayatz if Pitman has no solution; above it the smaller of SNB and
    Zayatz.
    Zayatz.
    """
    zayatz = zayatz_uniques(sample)
    if sample.fraction <= 0.1:
        pitman = pitman_uniques(sample)
        return (zayatz, "zayatz") if np.isnan(pitman) else (pitman, "pitman")
    snb = snb_uniques(sample)
    return (snb, "snb") if snb <= zayatz else (zayatz, "zayatz")
