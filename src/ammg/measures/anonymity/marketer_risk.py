"""The marketer's risk."""

from __future__ import annotations

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.measures.anonymity.released_key import Missing, frequencies, missing_param, population_counts, released_key
from ammg.measures.measure import Risk
from ammg.measures.measurement import Measurement, People


class MarketerRisk(Risk):
    """Expected share of correct matches when a population register is matched with the whole file.

    The mean over released records of one over their population frequency. Source: Dankar and El Emam (2010); El Emam
    (2013).
    """

    missing: Missing = missing_param()

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Average over the released records."""
        from ammg.criteria.reidentification import marketer_risk

        key = released_key(pair, scenario)
        population = population_counts(pair, key, self.missing)
        value = marketer_risk(frequencies(pair, key, self.missing)[0], population)
        expected = float(np.sum(1.0 / population))
        return Measurement(
            value=value,
            facts={"keys": key.names, "expected_matches": expected},
            people=People(1.0 / population, riskiest=key.riskiest(1.0 / population)),
        )
