"""Goodness of fit corrected for the estimation of the means: B has mean zero if the model is correct.

The statistic of the slides treats μ as known. Estimated means absorb part of the residuals: E(e²) = μ (1 - l) with l
the leverage of the cell, so B falls below zero even for the correct model, and more so the more parameters it has. The
corrected statistic adds Σ b μ l and reduces the variance accordingly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit
from ammg.kernels.population.log_linear.design import Design, design
from ammg.kernels.population.log_linear.goodness import Goodness, coefficients
from ammg.kernels.population.log_linear.model import RiskModel


def prepare_design(model: RiskModel) -> Design:
    """The design of a fitted model at its sample means; costs the cube of the number of parameters."""
    return design(model.sample.layout, model.generators, _sample_means(model))


def corrected_goodness(model: RiskModel, which: int, prepared: Design | None = None) -> Goodness:
    """B + Σ b μ l with variance Σ ã² μ + 2 Σ b² μ² (1 - l)², with ã the part of a that X does not explain."""
    s = model.sample
    if not s.uniques.size:
        return Goodness(float("nan"), float("nan"))
    prepared = prepare_design(model) if prepared is None else prepared
    mu = _sample_means(model)
    fractions = np.full(mu.size, s.fraction)
    fractions[s.cells] = s.fractions
    a, b = _all_coefficients(model.means, fractions, which)
    leverages = prepared.leverages(mu)
    unexplained = a - prepared.expand(prepared.inverse @ prepared.project(mu * a))
    residuals = -mu
    residuals[s.cells] += s.counts
    bias = np.sum(a * residuals + b * residuals**2) - np.sum(b[s.cells] * s.counts) + np.sum(b * mu * leverages)
    variance = np.sum(mu * unexplained**2) + 2.0 * np.sum((b * mu * (1.0 - leverages)) ** 2)
    return Goodness(float(bias), float(variance))


def _sample_means(model: RiskModel) -> NDArray[np.float64]:
    mu = model.means * model.sample.fraction
    mu[model.sample.cells] = model.means[model.sample.cells] * model.sample.fractions
    return mu


@jit
def _all_coefficients(
    means: NDArray[np.float64], fractions: NDArray[np.float64], tau: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    a = np.zeros(means.size)
    b = np.zeros(means.size)
    for k in range(means.size):
        if means[k] > 0.0:
            a[k], b[k] = coefficients(means[k], fractions[k], tau)
    return a, b
