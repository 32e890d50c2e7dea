"""Individual risk with survey weights."""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.measures.anonymity.released_key import Floats, Missing, ReleasedKey, frequencies, missing_param, released_key
from ammg.measures.measure import Risk
from ammg.measures.measurement import Chart, Measurement, People
from ammg.params import param

Model = Literal["negative_binomial", "approximate", "poisson"]


class IndividualRisk(Risk):
    """Expected share of released records that are re-identified, estimated from the sampling weights.

    The risk of a record is the expected 1/F given its sample frequency f and the sum of weights of its equivalence
    class. Without weights, the inclusion probability of the scenario is used, and without that F = f. The facts include
    the calculator of μ-ARGUS: the threshold that brings the expected rate down to a limit, and how many records it
    affects. `ammg.expected_reidentifications(masked)` gives the expected number, `ammg.record_risks(masked)` each
    record's risk. Source: Benedetti and Franconi (1998); Hundepool et al. (2012), chapter 3.
    """

    also_called: ClassVar[tuple[str, ...]] = ("IndivRisk",)

    model: Model = param("negative_binomial", "Model of the population frequency; `approximate` is that of sdcMicro.")
    threshold: float = param(0.1, "Records above this risk are unsafe.", gt=0, le=1)
    limit: float = param(0.01, "Expected re-identification rate to reach.", gt=0, le=1)
    missing: Missing = missing_param()

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Average the risk of the released records."""
        from ammg.criteria.risk_threshold import risk_curve

        key = released_key(pair, scenario)
        risk = self.by_record(pair, key, scenario)
        curve = risk_curve(risk)
        reach = curve.threshold_for_rate(self.limit)
        return Measurement(
            value=curve.rate,
            facts={
                "keys": key.names,
                "expected_reidentifications": curve.expected,
                "highest": float(risk.max()),
                "unsafe": curve.unsafe(self.threshold),
                "rate_without_unsafe": curve.rate_below(self.threshold),
                "threshold_for_limit": reach,
                "unsafe_for_limit": curve.unsafe(reach),
            },
            charts=(histogram(curve.risks),),
            people=People(risk, riskiest=key.riskiest(risk)),
        )

    def by_record(self, pair: Pair, key: ReleasedKey, scenario: Scenario) -> Floats:
        """The risk of each released record."""
        from ammg.criteria.class_sizes import IndividualRisk as Criterion

        f, weighted = frequencies(pair, key, self.missing)
        population = f / (scenario.inclusion or 1.0) if weighted is None else weighted
        return Criterion(model=self.model).risk(f, population)


def histogram(ordered: Floats) -> Chart:
    """Records by size of risk, on a scale of powers of ten; risks come in ascending order."""
    edges = np.array([0.0, 1e-4, 1e-3, 1e-2, 0.05, 0.1, 0.2, 0.5, 1.0])
    counts = np.diff([*np.searchsorted(ordered, edges[:-1]), np.searchsorted(ordered, edges[-1], side="right")])
    return Chart(
        "bars",
        "Records by risk",
        tuple(f"{low:g} to {high:g}" for low, high in pairwise(edges)),
        {"records": tuple(counts.astype(float).tolist())},
        "risk",
        "records",
    )
