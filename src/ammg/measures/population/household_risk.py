"""Household risk."""

from __future__ import annotations

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.measures.anonymity.released_key import Missing, missing_param, released_key
from ammg.measures.measure import Risk
from ammg.measures.measurement import Measurement, People
from ammg.measures.population.individual_risk import IndividualRisk, Model, histogram
from ammg.params import param


class HouseholdRisk(Risk):
    """Expected share of released records re-identified directly or through a member of their household.

    1 - Π (1 - r) over the members of a household, where r are their individual risks: finding one member reveals all.
    Source: Hundepool et al. (2012), chapter 3.
    """

    model: Model = param("negative_binomial", "Model of the population frequency; `approximate` is that of sdcMicro.")
    threshold: float = param(0.1, "Households above this risk are unsafe.", gt=0, le=1)
    missing: Missing = missing_param()

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Combine the risks of the members."""
        from ammg.kernels.population.household_risk import household_risk

        name = pair.masked.schema.household
        if name is None:
            raise NotDefined("no attribute of the masked file has the role household")
        key = released_key(pair, scenario)
        individual = IndividualRisk(model=self.model, missing=self.missing).by_record(pair, key, scenario)
        households, labels = pair.codes(name, masked=True)
        risk = household_risk(individual, households, len(labels))
        alone = households < 0
        of_households = np.concatenate([risk[np.unique(households[~alone], return_index=True)[1]], risk[alone]])
        return Measurement(
            value=float(risk.mean()),
            facts={
                "keys": key.names,
                "households": of_households.size,
                "expected_reidentifications": float(risk.sum()),
                "expected_households": float(of_households.sum()),
                "unsafe_households": int(np.sum(of_households > self.threshold)),
            },
            charts=(histogram(np.sort(risk)),),
            people=People(risk, riskiest=key.riskiest(risk)),
        )
