"""Log-linear risk of population uniqueness."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from ammg.data.attribute import Role
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import InputError
from ammg.measures.anonymity.released_key import (
    ReleasedKey,
    originals_like,
    released_key,
    sampling_fraction,
    survey_weights,
)
from ammg.measures.measure import Risk
from ammg.measures.measurement import Chart, Fact, Measurement, People, Table, counts, numbers, text
from ammg.measures.population.log_linear_key import ModelKey, model_key
from ammg.params import param

if TYPE_CHECKING:
    from ammg.kernels.population.log_linear.model import RiskModel
    from ammg.kernels.population.log_linear.search import Step

_MOST_PARAMETERS = 6_000  # the error of estimation needs a matrix of this side
_REJECTED = 1.96  # |z| beyond which a right model lies once in twenty times


class LogLinearRisk(Risk):
    """Expected share of records with a correct match on a sample unique, from a log-linear model of the population.

    A hierarchical log-linear model of the known attributes says how many people share each combination. τ1 is the
    expected number of sample uniques that are population uniques, τ2 the expected number of correct matches; the value
    is τ over the number of records. Without given interactions, a forward search adds them one by one: always the one
    that brings the goodness-of-fit statistic z closest to 0 among those that lower BIC. It stops when |z| is below
    `stop`, or when no such interaction is left, and reports which. A z near 0 is a good fit; far above 0 the risk is
    overstated, below 0 understated. If the test rejects the model at 5 %, the result says that it should not be
    trusted, and the interval is widened by the estimated bias. Weights enter by pseudo maximum likelihood; strata join
    the key. Source: Skinner and Holmes (1998); Elamir and Skinner (2006); Skinner and Shlomo (2008).
    """

    slow: ClassVar[str] = "fits a model of all combinations of the keys again and again, once for each pair of keys"
    also_called: ClassVar[tuple[str, ...]] = ("LLmodGlobalRisk", "ModRisk")

    tau: Literal[1, 2] = param(2, "Which τ is reported as the value and guides the search.")
    interactions: tuple[tuple[str, ...], ...] | None = param(
        None, "The highest-order interactions of the model; by default they are searched for."
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
        """Fit or search for the model and compute the risk."""
        from ammg.kernels.population.log_linear.sample import table_sample

        key = released_key(pair, scenario)
        table = model_key(pair, key, pair.masked.schema.with_role(Role.STRATUM))
        weights = survey_weights(pair)
        fraction = None if weights is not None else sampling_fraction(pair, scenario)
        sample = table_sample(table.layout, table.codes, fraction, weights)
        model, steps, ended = self._fit(table, sample)
        if self.margins:
            model = table.calibrated(model, self.margins)
        return self._report(pair, key, table, model, steps, ended)

    def _fit(self, table: ModelKey, sample: Any) -> tuple[RiskModel, list[Step], str]:
        from ammg.kernels.population.log_linear.model import fit_risk_model
        from ammg.kernels.population.log_linear.search import describe, forward_search

        start = table.start(self.impossible)
        try:
            if self.interactions is not None:
                model = fit_risk_model(sample, table.generators(self.interactions), start)
                return model, [describe(model)], "the model was given"
            found = forward_search(sample, self.tau, self.stop, self.three_way, start=start)
        except ValueError as error:
            raise InputError(str(error)) from None
        return found.model, found.steps, found.ended

    def _report(
        self, pair: Pair, key: ReleasedKey, table: ModelKey, model: RiskModel, steps: list[Step], ended: str
    ) -> Measurement:
        risk = model.by_record(self.tau)
        alone = model.sample.counts[model.sample.index] == 1
        facts: dict[str, Fact] = {
            "keys": table.names,
            "cells": table.layout.size,
            "fraction": model.sample.fraction,
            "sample_uniques": int(model.sample.uniques.size),
            "tau1": model.tau(1),
            "tau2": model.tau(2),
            "converged": model.converged,
            "model": tuple(" * ".join(table.names[axis] for axis in generator) for generator in model.generators),
            "search_ended": ended,
        }
        path = _path(table, steps)
        tables = {"path": path}
        interval = None
        if not alone.any():
            facts["fit"] = "no sample uniques: τ is 0 and there is nothing to fit"
        elif steps[-1].parameters <= _MOST_PARAMETERS:
            interval, tables["uncertainty"], facts["fit"] = self._uncertainty(pair, model)
        else:
            facts["fit"] = _verdict(steps[-1].adjusted1 if self.tau == 1 else steps[-1].adjusted2)
        facts["trusted"] = not str(facts["fit"]).startswith("rejected")
        if pair.sampling_factor < 1 and alone.any():
            facts["true_tau"], tables["true_by_estimated"] = _truth(
                originals_like(pair, key)[alone], risk[alone], self.tau
            )
        return Measurement(
            value=model.tau(self.tau) / pair.t,
            interval=interval,
            facts=facts,
            tables=tables,
            charts=(
                Chart(
                    "lines",
                    "Path of the search",
                    path["added"],
                    {"τ1": tuple(step.tau1 for step in steps), "τ2": tuple(step.tau2 for step in steps)},
                    "interaction added",
                    "expected records",
                ),
            ),
            people=People(risk, riskiest=key.riskiest(np.where(alone, risk, 0.0))),
        )

    def _uncertainty(self, pair: Pair, model: RiskModel) -> tuple[tuple[float, float], Table, str]:
        """The interval of the value, those of both τ given the model and with its estimation, and how well it fits."""
        from ammg.kernels.population.log_linear.corrected import corrected_goodness, prepare_design
        from ammg.kernels.population.log_linear.intervals import uncertainty

        prepared = prepare_design(model)
        found = [uncertainty(model, tau, prepared) for tau in (1, 2)]
        given = [one.interval(with_estimation=False) for one in found]
        wider = [one.interval() for one in found]
        goodness = [corrected_goodness(model, tau, prepared) for tau in (1, 2)]
        table = {
            "tau": counts((1, 2)),
            "low": numbers(low for low, _ in given),
            "high": numbers(high for _, high in given),
            "low_with_estimation": numbers(low for low, _ in wider),
            "high_with_estimation": numbers(high for _, high in wider),
            "corrected_z": numbers(one.z for one in goodness),
        }
        low, high = wider[self.tau - 1]
        own = goodness[self.tau - 1]
        if abs(own.z) > _REJECTED:  # the bias is over-estimated, so that the interval is rather too wide
            low = max(low - max(own.bias, 0.0), 0.0)
            high = min(high - min(own.bias, 0.0), float(model.sample.uniques.size))
        return (low / pair.t, high / pair.t), Table(table), _verdict(own.z)


def _verdict(z: float) -> str:
    if not abs(z) > _REJECTED:  # NaN is not: in a census there is nothing to test
        return f"accepted: z = {z:.2f}"
    side = "over-stated" if z > 0 else "under-stated"
    return (
        f"rejected: z = {z:.2f}, so the risk is probably {side}: give the interactions by hand, allow "
        "three_way, or use a measure that needs no model"
    )


def _path(table: ModelKey, steps: list[Step]) -> Table:
    """The steps of the model search."""
    return Table(
        {
            "added": text(" * ".join(table.names[axis] for axis in step.added) or "first model" for step in steps),
            "parameters": counts(step.parameters for step in steps),
            "tau1": numbers(step.tau1 for step in steps),
            "tau2": numbers(step.tau2 for step in steps),
            "z1": numbers(step.z1 for step in steps),
            "z2": numbers(step.z2 for step in steps),
            "adjusted_z1": numbers(step.adjusted1 for step in steps),
            "adjusted_z2": numbers(step.adjusted2 for step in steps),
            "bic": numbers(step.bic for step in steps),
        }
    )


def _truth(population: np.ndarray, estimated: np.ndarray, tau: int) -> tuple[float, Table]:
    """True and estimated risk of the sample uniques when the original file is the population."""
    from ammg.kernels.population.log_linear.diagnostics import cross_bands, true_risk

    known = population > 0
    true = true_risk(population[known], tau)
    bands = ("below 0.1", "0.1 to 0.5", "0.5 and more")
    crossed = zip(bands, cross_bands(true, estimated[known]).T, strict=True)
    columns = {f"estimated {band}": counts(records) for band, records in crossed}
    return float(true.sum()), Table({"true risk": text(bands), **columns})
