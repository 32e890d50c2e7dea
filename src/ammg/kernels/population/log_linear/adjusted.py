"""An inexpensive correction of B for estimated means, exact in decomposable models.

In a decomposable model the variance of log μ̂_k is Σ 1/N over the margins of its cliques minus those of its separators,
which over all terms T of the hierarchy is Σ c_T / N_T(k) with the counts of `parsimony.inclusion_counts`. The same sum
is an approximation in other models. It needs only margins, no matrix. On samples of 10,000 and 618,120 cells (five
models, two samples) it differed by at most 0.11 from the z of `corrected`, which inverts the information matrix.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit
from ammg.kernels.population.log_linear.goodness import Goodness, coefficients
from ammg.kernels.population.log_linear.ipf import sum_margin
from ammg.kernels.population.log_linear.model import RiskModel
from ammg.kernels.population.log_linear.parsimony import inclusion_counts


def adjusted_goodness(model: RiskModel, which: int) -> Goodness:
    """B + Σ b μ l with approximate leverages l, and the variance of the slides."""
    goodness = model.goodness(which)
    if np.isnan(goodness.z):
        return goodness
    return Goodness(goodness.bias + _lost_variance(model, which), goodness.variance)


def _lost_variance(model: RiskModel, which: int) -> float:
    s = model.sample
    layout = s.layout
    mu = model.means * s.fraction
    mu[s.cells] = model.means[s.cells] * s.fractions
    weighted = _weighted_squares(model.means, mu, which)
    total = 0.0
    for term, count in inclusion_counts(model.generators).items():
        if count:
            margin = layout.margin(term)
            sizes, squares = np.empty(margin.size), np.empty(margin.size)
            sum_margin(mu, margin.bases, margin.step, layout.length, sizes)
            sum_margin(weighted, margin.bases, margin.step, layout.length, squares)
            total += count * float(np.sum(np.divide(squares, sizes, out=np.zeros_like(sizes), where=sizes > 0)))
    return total


@jit
def _weighted_squares(means: NDArray[np.float64], mu: NDArray[np.float64], tau: int) -> NDArray[np.float64]:
    """B's b times μ², cell by cell."""
    weighted = np.zeros(means.size)
    for k in range(means.size):
        if means[k] > 0.0:
            _, b = coefficients(means[k], mu[k] / means[k], tau)
            weighted[k] = b * mu[k] * mu[k]
    return weighted
