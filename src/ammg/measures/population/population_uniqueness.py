"""Population uniqueness from the sample alone."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.measures.anonymity.released_key import released_key, sampling_fraction
from ammg.measures.measure import Risk
from ammg.measures.measurement import Measurement, People, Table, numbers, text
from ammg.params import param

Model = Literal["dankar", "pitman", "zayatz", "snb"]


class PopulationUniqueness(Risk):
    """Estimated share of the population that is unique on the key variables, from class sizes of the release.

    Models: Pitman's sampling formula, Zayatz's equivalence classes, the slide negative binomial, and the rule of Dankar
    et al., which uses Pitman up to a sampling fraction of 0.1 and the smaller of the other two above. Source: Dankar,
    El Emam, Neisa and Roffey (2012); Hoshino (2001); Zayatz (1991); Chen and Keller-McNulty (1998).
    """

    model: Model = param("dankar", "Model of the population's classes.")

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Estimate from the histogram of class sizes."""
        from ammg.criteria.class_sizes import PopulationUniqueness as Criterion
        from ammg.kernels.population import population_uniques as estimators

        key = released_key(pair, scenario)
        fraction = sampling_fraction(pair, scenario)
        sample = estimators.class_sizes(key.cells.counts, fraction)
        estimates = {
            "pitman": estimators.pitman_uniques(sample),
            "zayatz": estimators.zayatz_uniques(sample),
            "snb": estimators.snb_uniques(sample),
        }
        uniques, chosen = Criterion(model=self.model).estimate(sample)
        if np.isnan(uniques):
            raise NotDefined(f"the model {chosen} has no solution for these class sizes")
        alone = key.cells.frequencies == 1
        chance = min(1.0, uniques * fraction / max(1.0, sample.uniques))
        return Measurement(
            value=min(1.0, uniques / sample.population),
            facts={
                "keys": key.names,
                "model": chosen,
                "fraction": fraction,
                "sample_uniques": int(sample.uniques),
            },
            tables={
                "estimates": Table({"model": text(estimates), "population_uniques": numbers(estimates.values())}),
            },
            people=People(np.where(alone, chance, 0.0)),
        )
