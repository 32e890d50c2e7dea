"""Fit one log-linear model to a sample and derive the risk: τ̂1, τ̂2 and their goodness of fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.population.log_linear.goodness import Goodness, goodness_of_fit
from ammg.kernels.population.log_linear.ipf import Generators, fit_margins, fit_model
from ammg.kernels.population.log_linear.sample import TableSample
from ammg.kernels.population.log_linear.tau import record_risk, unique_risk


@dataclass(frozen=True)
class RiskModel:
    """A fitted model: population means λ of all cells, and the risk they imply for the sample."""

    sample: TableSample
    generators: Generators
    means: NDArray[np.float64]
    converged: bool

    def tau(self, which: int) -> float:
        """τ̂1 or τ̂2: the sum of the risks of the sample uniques; 0 if there are none."""
        unique = self.sample.uniques
        risk = unique_risk(self.means[self.sample.cells[unique]], self.sample.fractions[unique], which)
        return float(risk.sum())

    def goodness(self, which: int) -> Goodness:
        """The statistic B of the slides; NaN without sample uniques, because there is nothing to fit."""
        s = self.sample
        if not s.uniques.size:
            return Goodness(float("nan"), float("nan"))
        return goodness_of_fit(self.means, s.fraction, s.cells, s.counts, s.fractions, which)

    def by_record(self, which: int) -> NDArray[np.float64]:
        """Risk of every record, whatever the size of its cell: P(F = f | f) or E(1/F | f)."""
        s = self.sample
        return record_risk(s.counts, self.means[s.cells], s.fractions, which)[s.index]


def fit_risk_model(
    sample: TableSample, generators: Iterable[Sequence[int]], start: NDArray[np.float64] | None = None
) -> RiskModel:
    """Fit by maximum likelihood, or by pseudo maximum likelihood if the sample has weights.

    Both are proportional fitting to f / π: with weights, f / π is their sum in the cell, so equal weights give the
    unweighted fit.
    """
    fit = fit_model(sample.layout, sample.cells, sample.population_counts, generators, start)
    return RiskModel(sample, fit.generators, fit.means, fit.converged)


def calibrate(model: RiskModel, axes: Sequence[Sequence[int]], targets: Sequence[NDArray[np.float64]]) -> RiskModel:
    """Adjust the means to known margins of the population, keeping the fitted interactions.

    Args:
        model: A fitted model.
        axes: The keys of each known margin.
        targets: The margins as tables, their axes in the order of the keys given.
    """
    layout = model.sample.layout
    margins = [layout.margin(keys) for keys in axes]
    flat = []
    for keys, target in zip(axes, targets, strict=True):
        wanted = tuple(layout.shape[key] for key in keys)
        if target.shape != wanted:
            raise ValueError(f"The margin of keys {tuple(keys)} has shape {target.shape}; the keys have {wanted}.")
        order = sorted(range(len(keys)), key=lambda i: layout.order.index(keys[i]))
        flat.append(np.ascontiguousarray(np.transpose(target, order), np.float64).ravel())
    means = model.means.copy()
    _, met = fit_margins(layout, means, margins, flat)
    return RiskModel(model.sample, model.generators, means, model.converged and met)
