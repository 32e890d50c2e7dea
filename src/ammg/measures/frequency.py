"""Frequencies of the key."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.measures.measure import Measure, Measurement
from ammg.measures.released_key import look_alikes, released_key


class Frequency(Measure):
    """Share of released records that nobody else resembles on what the intruder knows.

    f counts the released records with the same known values, F estimates how many there are in the population (the sum
    of their weights, or f without weights). Records with f < k break k-anonymity. A number counts as a category.
    Source: Truta, Fotouhi and Barth-Jones (2003); Hundepool et al. (2012), section 3.5.
    """

    family: ClassVar[Literal["risk", "loss"]] = "risk"
    percent: ClassVar[bool] = True

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Count the cells of the known attributes in the released file."""
        from ammg.kernels.cells import count_cells

        key = released_key(pair, scenario)
        cells = count_cells(key.codes, key.sizes)
        f = cells.frequencies
        weights = pair.weights(masked=True)
        population = f.astype(np.float64) if weights is None else cells.sums(weights)[cells.index]
        risk = np.divide(1.0, population, out=np.ones(pair.t), where=population > 0)
        return Measurement(
            value=float(np.mean(f == 1)),
            by_record=np.minimum(risk, 1.0),
            details={
                "keys": list(key.names),
                "uniques": int(np.sum(f == 1)),
                "below_k": {k: int(np.sum(f < k)) for k in (2, 3, 5)},
                "cells": len(cells),
                "expected_reidentifications": float(np.minimum(risk, 1.0).sum()),
            },
            charts=(look_alikes(f),),
        )
