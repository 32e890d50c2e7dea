"""Log-linear risk of population uniqueness."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from ammg.data.attribute import Role
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import InputError
from ammg.measures.log_linear_key import ModelKey, model_key
from ammg.measures.measure import Chart, Measure, Measurement
from ammg.measures.released_key import ReleasedKey, originals_like, released_key, sampling_fraction, survey_weights
from ammg.params import param

if TYPE_CHECKING:
    from ammg.kernels.log_linear.model import RiskModel
    from ammg.kernels.log_linear.search import Step

_MOST_PARAMETERS = 6_000  # the error of estimation needs a matrix of this side


class LogLinearRisk(Measure):
    """Expected share of records that a match on a sample unique gets right, from a log-linear model of the population.

    A hierarchical log-linear model of the known attributes says how many people share each combination. τ1 is the
    expected number of sample uniques that are population uniques, τ2 that of correct matches; the value is τ over the
    records. Without given interactions a forward search adds them one by one and reports its path; z near 0 is a good
    fit, far above 0 means risk over-stated, below 0 under-stated. Weights are used by pseudo maximum likelihood, strata
    join the key.
    Source: Skinner and Holmes (1998); Elamir and Skinner (2006); Skinner and Shlomo (2008).
    """

    family: ClassVar[Literal["risk", "loss"]] = "risk"
    percent: ClassVar[bool] = True
    default: ClassVar[bool] = False

    tau: Literal[1, 2] = param(2, "Which τ is the value and guides the search.")
    interactions: tuple[tuple[str, ...], ...] | None = param(
        None, "The largest interactions of the model; by default they are searched for."
    )
    three_way: bool = param(False, "Whether the search also tries three-factor interactions.")
    stop: float = param(1.0, "The search ends when |z| is below this.", ge=0)
    margins: Mapping[str, Mapping[str, float]] = param(
        {}, "Known population counts by category, for any of the attributes; the model is calibrated to them."
    )
    impossible: tuple[Mapping[str, str], ...] = param(
        (), "Combinations of values that cannot occur (structural zeros)."
    )

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Fit, or search for, the model and read off the risk."""
        from ammg.kernels.log_linear.sample import table_sample

        key = released_key(pair, scenario)
        table = model_key(pair, key, pair.masked.schema.with_role(Role.STRATUM))
        weights = survey_weights(pair)
        fraction = None if weights is not None else sampling_fraction(pair, scenario)
        sample = table_sample(table.layout, table.codes, fraction, weights)
        model, steps = self._fit(table, sample)
        if self.margins:
            model = table.calibrated(model, self.margins)
        return self._report(pair, key, table, model, steps)

    def _fit(self, table: ModelKey, sample: Any) -> tuple[RiskModel, list[Step]]:
        from ammg.kernels.log_linear.model import fit_risk_model
        from ammg.kernels.log_linear.search import describe, forward_search

        start = table.start(self.impossible)
        try:
            if self.interactions is not None:
                model = fit_risk_model(sample, table.generators(self.interactions), start)
                return model, [describe(model)]
            found = forward_search(sample, self.tau, self.stop, self.three_way, start=start)
        except ValueError as error:
            raise InputError(str(error)) from None
        return found.model, found.steps

    def _report(
        self, pair: Pair, key: ReleasedKey, table: ModelKey, model: RiskModel, steps: list[Step]
    ) -> Measurement:
        risk = model.by_record(self.tau)
        alone = model.sample.counts[model.sample.index] == 1
        details: dict[str, Any] = {
            "keys": list(table.names),
            "cells": table.layout.size,
            "fraction": model.sample.fraction,
            "sample_uniques": int(model.sample.uniques.size),
            "tau1": model.tau(1),
            "tau2": model.tau(2),
            "converged": model.converged,
            "model": [" * ".join(table.names[axis] for axis in generator) for generator in model.generators],
            "path": [_row(table, step) for step in steps],
            "riskiest": key.riskiest(np.where(alone, risk, 0.0)),
        }
        interval = None
        if not alone.any():
            details["fit"] = "no sample uniques: τ is 0 and there is nothing to fit"
        elif steps[-1].parameters <= _MOST_PARAMETERS:
            interval = self._uncertainty(pair, model, details)
        if pair.sampling_factor < 1 and alone.any():
            details["truth"] = _truth(originals_like(pair, key)[alone], risk[alone], self.tau)
        return Measurement(
            value=model.tau(self.tau) / pair.t,
            interval=interval,
            by_record=risk,
            details=details,
            charts=(
                Chart(
                    "lines",
                    "Path of the search",
                    tuple(_row(table, step)["added"] for step in steps),
                    {"τ1": tuple(step.tau1 for step in steps), "τ2": tuple(step.tau2 for step in steps)},
                    "interaction added",
                    "expected records",
                ),
            ),
        )

    def _uncertainty(self, pair: Pair, model: RiskModel, details: dict[str, Any]) -> tuple[float, float]:
        from ammg.kernels.log_linear.corrected import corrected_goodness, prepare_design
        from ammg.kernels.log_linear.intervals import uncertainty

        prepared = prepare_design(model)
        for tau in (1, 2):
            found = uncertainty(model, tau, prepared)
            details[f"interval{tau}"] = {
                "conditional": found.interval(with_estimation=False),
                "with_estimation": found.interval(),
            }
            details[f"corrected_z{tau}"] = corrected_goodness(model, tau, prepared).z
        low, high = details[f"interval{self.tau}"]["with_estimation"]
        return low / pair.t, high / pair.t


def _row(table: ModelKey, step: Step) -> dict[str, Any]:
    """One line of the table of the model search."""
    return {
        "added": " * ".join(table.names[axis] for axis in step.added) or "first model",
        "parameters": step.parameters,
        "tau1": step.tau1,
        "tau2": step.tau2,
        "z1": step.z1,
        "z2": step.z2,
        "adjusted_z1": step.adjusted1,
        "adjusted_z2": step.adjusted2,
    }


def _truth(population: np.ndarray, estimated: np.ndarray, tau: int) -> dict[str, Any]:
    """True and estimated risk of the sample uniques when the original file is the population."""
    from ammg.kernels.log_linear.diagnostics import cross_bands, true_risk

    known = population > 0
    true = true_risk(population[known], tau)
    return {
        "tau": float(true.sum()),
        "bands": ["below 0.1", "0.1 to 0.5", "0.5 and more"],
        "true_by_estimated": cross_bands(true, estimated[known]).tolist(),
    }
