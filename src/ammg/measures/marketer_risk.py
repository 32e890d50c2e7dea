"""The marketer's risk."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.measures.measure import Measure, Measurement
from ammg.measures.released_key import Missing, frequencies, population_counts, released_key
from ammg.params import param


class MarketerRisk(Measure):
    """Expected share of correct matches when a register of the population is matched to the whole file.

    The mean over released records of one over the number of people behind each.
    Source: Dankar and El Emam (2010); El Emam (2013).
    """

    family: ClassVar[Literal["risk", "loss"]] = "risk"
    percent: ClassVar[bool] = True
    default: ClassVar[bool] = False

    missing: Missing = param("available", "Whether a missing value matches every value, or is a category of its own.")

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Average over the released records."""
        from ammg.criteria.reidentification import marketer_risk

        key = released_key(pair, scenario)
        population = population_counts(pair, key, self.missing)
        value = marketer_risk(frequencies(pair, key, self.missing)[0], population)
        expected = float(np.sum(1.0 / population))
        return Measurement(
            value=value,
            by_record=1.0 / population,
            details={"keys": list(key.names), "expected_matches": expected, "riskiest": key.riskiest(1.0 / population)},
        )
