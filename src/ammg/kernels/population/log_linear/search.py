"""Forward search for a log-linear model with a reliable risk estimate (Skinner and Shlomo 2008)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.population.log_linear.adjusted import adjusted_goodness
from ammg.kernels.population.log_linear.ipf import Generators, maximal, terms
from ammg.kernels.population.log_linear.model import RiskModel, fit_risk_model
from ammg.kernels.population.log_linear.parsimony import bic, effective_parameters
from ammg.kernels.population.log_linear.sample import TableSample


@dataclass(frozen=True)
class Step:
    """One model of the path: the interaction it added (none for the first), its estimates and their fit.

    `z1` and `z2` are the statistics of the slides, `adjusted1` and `adjusted2` correct them for estimated means;
    `bic` is Schwarz's criterion.
    """

    added: tuple[int, ...]
    generators: Generators
    parameters: int
    tau1: float
    tau2: float
    z1: float
    z2: float
    adjusted1: float
    adjusted2: float
    bic: float

    def distance(self, tau: int) -> float:
        """|z| of τ1 or τ2 in the form of the slides."""
        return abs(self.z1 if tau == 1 else self.z2)


@dataclass(frozen=True)
class Search:
    """The path of a forward search; the last model is the selected one; and the reason why the search ended."""

    steps: list[Step]
    model: RiskModel
    ended: str


def forward_search(
    sample: TableSample,
    tau: int = 2,
    stop: float = 1.0,
    three_way: bool = False,
    parsimony: bool = True,
    most_steps: int = 50,
    start: NDArray[np.float64] | None = None,
) -> Search:
    """Start from independence and keep adding the interaction that brings |z| of τ closest to zero.

    Stops when |z| < `stop`, when no remaining interaction lowers Schwarz's criterion (BIC), or when none of those
    brings |z| closer to zero; the last model is the selected one. Ties go to the model with fewer parameters. Only the
    first of these is a good fit: after the others, the test may still reject the model.

    Args:
        sample: The sample as a table.
        tau: The risk measure whose fit decides, 1 or 2.
        stop: |z| below which the fit is good enough.
        three_way: Also try three-factor interactions whose pairs are all in the model.
        parsimony: Accept only interactions that lower Schwarz's criterion. Otherwise a large interaction that overfits
            often wins, because overfitting also lowers z while it biases τ̂ downwards.
        most_steps: Longest path.
        start: Ones, with zeros in the cells that cannot occur (structural zeros).
    """
    model = fit_risk_model(sample, [(axis,) for axis in range(len(sample.layout.shape))], start)
    steps = [_describe((), model)]
    ended = f"the path has {most_steps} interactions, the most that are tried"
    while len(steps) <= most_steps:
        if not steps[-1].distance(tau) >= stop:  # also for NaN: no uniques, nothing to fit
            ended = f"|z| of τ{tau} is below {stop:g}"
            break
        larger = _larger_models(model, three_way, parsimony)
        best = min(larger, key=lambda pair: (abs(pair[1].goodness(tau).z), _size(pair[1])), default=None)
        if best is None:
            ended = f"no further interaction lowers BIC, and |z| of τ{tau} is not below {stop:g}"
            break
        step = _describe(*best)
        if not step.distance(tau) < steps[-1].distance(tau):
            ended = f"no interaction that lowers BIC brings |z| of τ{tau} below {steps[-1].distance(tau):.2f}"
            break
        steps.append(step)
        model = best[1]
    return Search(steps, model, ended)


def describe(model: RiskModel) -> Step:
    """The entry that a given model would have in the path of a search."""
    return _describe((), model)


def _larger_models(model: RiskModel, three_way: bool, parsimony: bool) -> Iterator[tuple[tuple[int, ...], RiskModel]]:
    """Larger models one at a time, so that only the best so far is held in memory."""
    limit = bic(model) if parsimony else float("inf")
    for added in _candidates(model, three_way):
        candidate = fit_risk_model(model.sample, maximal([*model.generators, added]), start=model.means)
        if not parsimony or bic(candidate) < limit:
            yield added, candidate


def _candidates(model: RiskModel, three_way: bool) -> list[tuple[int, ...]]:
    shape = model.sample.layout.shape
    axes = [axis for axis in range(len(shape)) if shape[axis] > 1]
    present = set(terms(model.generators))
    return [
        new
        for size in ((2, 3) if three_way else (2,))
        for new in combinations(axes, size)
        if new not in present and all(part in present for part in combinations(new, size - 1))
    ]


def _size(model: RiskModel) -> int:
    return effective_parameters(model.sample, model.generators)


def _describe(added: tuple[int, ...], model: RiskModel) -> Step:
    return Step(
        added,
        model.generators,
        _size(model),
        tau1=model.tau(1),
        tau2=model.tau(2),
        z1=model.goodness(1).z,
        z2=model.goodness(2).z,
        adjusted1=adjusted_goodness(model, 1).z,
        adjusted2=adjusted_goodness(model, 2).z,
        bic=bic(model),
    )
