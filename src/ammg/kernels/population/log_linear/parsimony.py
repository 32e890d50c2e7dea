"""The complexity of a model: the number of parameters that the data can estimate, and Schwarz's criterion."""

from __future__ import annotations

import numpy as np

from ammg.kernels.population.log_linear.ipf import Generators, margin_counts, terms
from ammg.kernels.population.log_linear.model import RiskModel
from ammg.kernels.population.log_linear.sample import TableSample


def inclusion_counts(generators: Generators) -> dict[tuple[int, ...], int]:
    """How often the margin of each term counts after removing those of the terms that contain it.

    c_T = 1 - Σ c_S over the terms S that contain T: 1 for the generators, 1 - degree for a key in a tree of pairs.
    """
    counts: dict[tuple[int, ...], int] = {}
    for term in sorted(terms(generators), key=len, reverse=True):
        counts[term] = 1 - sum(count for other, count in counts.items() if set(term) < set(other))
    return counts


def effective_parameters(sample: TableSample, generators: Generators) -> int:
    """Number of parameters, counting only the categories and combinations that occur in the sample.

    In a sparse table this is far below the nominal number: combinations without records are fitted as zero for free.
    """
    total = 0
    for term, count in inclusion_counts(generators).items():
        if count:
            margin = sample.layout.margin(term)
            total += count * int(np.count_nonzero(margin_counts(sample.layout, margin, sample.cells, sample.counts)))
    return total


def bic(model: RiskModel) -> float:
    """Schwarz's criterion, -2 log-likelihood + ln(n) parameters; smaller is better.

    With survey weights the likelihood is that of weights scaled to the sample size.
    """
    s = model.sample
    n = float(s.counts.sum())
    scaled = s.population_counts * (n / float(s.population_counts.sum()))
    fitted = np.log(model.means[s.cells] / float(model.means.sum()))
    return float(-2.0 * scaled @ fitted + np.log(n) * effective_parameters(s, model.generators))
