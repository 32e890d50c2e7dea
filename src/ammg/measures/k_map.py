"""k-map."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.measures.measure import Measure, Measurement
from ammg.measures.released_key import Missing, frequencies, originals_like, released_key
from ammg.params import param


class KMap(Measure):
    """Share of released records that fewer than k people of the population resemble.

    The population is what the weights stand for; without weights the original file, or, where the scenario gives an
    inclusion probability, as many people as a Poisson law of that sampling fraction makes certain enough. A released
    combination that nobody has is not a violation: it leads to no one.
    Source: Sweeney (2001); El Emam and Dankar (2008) for the sampling fraction.
    """

    family: ClassVar[Literal["risk", "loss"]] = "risk"
    percent: ClassVar[bool] = True
    default: ClassVar[bool] = False

    k: int = param(5, "Least number of people who look alike.", ge=2)
    significance: float = param(0.01, "Accepted chance that a class has fewer than k people.", gt=0, lt=1)
    missing: Missing = param("available", "Whether a missing value matches every value, or is a category of its own.")

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Look at the population behind each released record."""
        from ammg.criteria.anonymity import safe_class_size, violates_anonymity

        key = released_key(pair, scenario)
        f, weighted = frequencies(pair, key, self.missing)
        if weighted is not None:
            population, source = weighted, "weights"
            violating = violates_anonymity(population, self.k)
        elif scenario.inclusion is not None:
            population, source = f / scenario.inclusion, "inclusion"
            violating = violates_anonymity(f, safe_class_size(self.k, scenario.inclusion, self.significance))
        else:
            population, source = originals_like(pair, key), "original file"
            violating = violates_anonymity(population, self.k) & (population > 0)
        risk = np.divide(1.0, population, out=np.zeros(pair.t), where=population > 0)
        return Measurement(
            value=float(violating.mean()),
            by_record=np.minimum(risk, 1.0),
            details={
                "keys": list(key.names),
                "population": source,
                "violating": int(violating.sum()),
                "nobody": int(np.sum(population == 0)),
                "riskiest": key.riskiest(np.where(violating, np.minimum(risk, 1.0), 0.0)),
            },
        )
