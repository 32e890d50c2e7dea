"""The journalist's risk."""

from __future__ import annotations

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.measures.anonymity.released_key import Missing, frequencies, missing_param, population_counts, released_key
from ammg.measures.measure import Risk
from ammg.measures.measurement import Measurement, People
from ammg.params import param


class JournalistRisk(Risk):
    """Largest probability that a released record is matched to the right person in a population register.

    One over the smallest population frequency of a released record: the sum of the weights, or without weights the
    number of matching original records. Source: El Emam (2013).
    """

    threshold: float = param(0.2, "Records above this risk count as at risk.", ge=0, le=1)
    missing: Missing = missing_param()

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Look at the population behind each released record."""
        from ammg.criteria.reidentification import journalist_risk

        key = released_key(pair, scenario)
        population = population_counts(pair, key, self.missing)
        found = journalist_risk(frequencies(pair, key, self.missing)[0], population, self.threshold)
        return Measurement(
            value=found.highest,
            facts={
                "keys": key.names,
                "success": found.success,
                "lowest": found.lowest,
                "at_risk": found.at_risk,
            },
            people=People(found.by_record, riskiest=key.riskiest(found.by_record)),
        )
