"""Frequencies of the key."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.measures.measure import Chart, Measure, Measurement


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

        names = [name for name in scenario.known_in(pair.original.schema) if name in pair.masked.schema]
        if not names:
            raise NotDefined("no known attribute is in the masked file")
        if not pair.t:
            raise NotDefined("the masked file has no records")
        coded = [pair.codes(name, masked=True) for name in names]
        cells = count_cells([codes for codes, _ in coded], [len(categories) for _, categories in coded])
        f = cells.frequencies
        weights = pair.weights(masked=True)
        population = f.astype(np.float64) if weights is None else cells.sums(weights)[cells.index]
        risk = np.divide(1.0, population, out=np.ones(pair.t), where=population > 0)
        sizes, records = np.unique(f, return_counts=True)
        return Measurement(
            value=float(np.mean(f == 1)),
            by_record=np.minimum(risk, 1.0),
            details={
                "keys": names,
                "uniques": int(np.sum(f == 1)),
                "below_k": {k: int(np.sum(f < k)) for k in (2, 3, 5)},
                "cells": len(cells),
                "expected_reidentifications": float(np.minimum(risk, 1.0).sum()),
            },
            charts=(
                Chart(
                    "bars",
                    "Records by the number that look alike",
                    tuple(sizes[:20].tolist()),
                    {"records": tuple(records[:20].astype(float).tolist())},
                    "records with the same known values",
                    "records",
                ),
            ),
        )
