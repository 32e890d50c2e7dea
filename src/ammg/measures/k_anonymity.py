"""k-anonymity."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.measures.measure import Measure, Measurement
from ammg.measures.released_key import Missing, frequencies, look_alikes, released_key
from ammg.params import param


class KAnonymity(Measure):
    """Share of released records that fewer than k records resemble on what the intruder knows.

    Source: Samarati and Sweeney (1998). μ-ARGUS calls a record unsafe up to and including its threshold: that is k - 1.
    """

    family: ClassVar[Literal["risk", "loss"]] = "risk"
    percent: ClassVar[bool] = True
    default: ClassVar[bool] = False

    k: int = param(3, "Least number of records that look alike.", ge=2)
    missing: Missing = param("available", "Whether a missing value matches every value, or is a category of its own.")

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Count the records that look like each one."""
        from ammg.criteria.anonymity import violates_anonymity

        key = released_key(pair, scenario)
        f, population = frequencies(pair, key, self.missing)
        violating = violates_anonymity(f, self.k)
        return Measurement(
            value=float(violating.mean()),
            by_record=1.0 / f,
            details={
                "keys": list(key.names),
                "violating": int(violating.sum()),
                "smallest": float(f.min()),
                "below_k": {k: int(np.sum(violates_anonymity(f, k))) for k in (2, 3, 5, self.k)},
                "below_k_in_population": {}
                if population is None
                else {k: int(np.sum(violates_anonymity(population, k))) for k in (2, 3, 5, self.k)},
                "riskiest": key.riskiest(np.where(violating, 1.0 / f, 0.0)),
            },
            charts=(look_alikes(f),),
        )
