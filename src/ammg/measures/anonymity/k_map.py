"""k-map."""

from __future__ import annotations

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.measures.anonymity.released_key import Missing, frequencies, missing_param, originals_like, released_key
from ammg.measures.measure import Risk
from ammg.measures.measurement import Measurement, People
from ammg.params import param


class KMap(Risk):
    """Share of released records whose combination of known values fewer than k people in the population have.

    The weights say how many people a record stands for. Without weights the original file is the population; or, if the
    scenario gives an inclusion probability, the population frequency is bounded by a Poisson model. A released
    combination that nobody in the population has counts with its released records. Source: Sweeney (2001); El Emam and
    Dankar (2008) for the sampling fraction.
    """

    k: int = param(5, "Smallest number of people who share their values.", ge=2)
    significance: float = param(0.01, "Accepted probability that a class has fewer than k people.", gt=0, lt=1)
    missing: Missing = missing_param()

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Look at the population behind each released record."""
        from ammg.criteria.anonymity import safe_class_size, violates_anonymity
        from ammg.criteria.class_sizes import KMap as Criterion

        key = released_key(pair, scenario)
        f, weighted = frequencies(pair, key, self.missing)
        nobody = 0
        if weighted is not None:
            population, source = weighted, "weights"
            violating = Criterion(k=self.k).breaks(population)
        elif scenario.inclusion is not None:
            population, source = f / scenario.inclusion, "inclusion"
            violating = violates_anonymity(f, safe_class_size(self.k, scenario.inclusion, self.significance))
        else:
            originals, source = originals_like(pair, key), "original file"
            population, nobody = np.where(originals > 0, originals, f), int(np.sum(originals == 0))
            violating = Criterion(k=self.k).breaks(population)
        risk = np.minimum(np.divide(1.0, population, out=np.zeros(pair.t), where=population > 0), 1.0)
        return Measurement(
            value=float(violating.mean()),
            facts={
                "keys": key.names,
                "population": source,
                "violating": int(violating.sum()),
                "nobody": nobody,
            },
            people=People(risk, riskiest=key.riskiest(np.where(violating, risk, 0.0))),
        )
