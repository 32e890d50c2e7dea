"""Frequencies of the key."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.measures.anonymity.released_key import folded_key, look_alikes, released_key
from ammg.measures.measure import Risk
from ammg.measures.measurement import Measurement, People, Table, counts
from ammg.summaries.folded_pair import FoldedPair


class Frequency(Risk):
    """Share of released records that nobody else resembles on what the intruder knows.

    f counts the released records with the same known values, F estimates how many there are in the population (the sum
    of their weights, or f without weights). Records with f < k break k-anonymity. A number counts as a category.
    `ammg.record_risks(masked)` gives f, F and risk of each record, `ammg.category_counts(masked)` counts of categories.
    Source: Truta, Fotouhi and Barth-Jones (2003); Hundepool et al. (2012), section 3.5.
    """

    also_called: ClassVar[tuple[str, ...]] = ("FreqCalc",)

    default = True

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Count the cells of the known attributes in the released file."""
        from ammg.kernels.anonymity.cells import count_cells

        key = released_key(pair, scenario)
        cells = count_cells(key.codes, key.sizes)
        weights = pair.weights(masked=True)
        found, risk = _found(key.names, cells.counts, None if weights is None else cells.sums(weights))
        return replace(found, people=People(risk[cells.index]))

    def fold(self, pair: FoldedPair, scenario: Scenario) -> Measurement:
        """The same from the cells of chunks."""
        key = folded_key(pair, scenario)
        return _found(key.names, key.cells.counts, key.cells.weights)[0]


def _found(
    names: tuple[str, ...], records: NDArray[np.int64], weights: NDArray[np.float64] | None
) -> tuple[Measurement, NDArray[np.float64]]:
    """What the cells tell, and the risk of a record in each."""
    population = records.astype(np.float64) if weights is None else weights
    risk = np.minimum(np.divide(1.0, population, out=np.ones(len(records)), where=population > 0), 1.0)
    uniques = int(np.count_nonzero(records == 1))
    below = Table({"k": counts((2, 3, 5)), "records": counts(records[records < k].sum() for k in (2, 3, 5))})
    found = Measurement(
        value=uniques / int(records.sum()),
        facts={
            "keys": names,
            "uniques": uniques,
            "cells": len(records),
            "expected_reidentifications": float((records * risk).sum()),
        },
        tables={"below_k": below},
        charts=(look_alikes(records, records),),
    )
    return found, risk
