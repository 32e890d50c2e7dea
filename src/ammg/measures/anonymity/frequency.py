"""Frequencies of the key."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.measures.anonymity.folded_key import folded_key
from ammg.measures.anonymity.released_key import AlikeCounts, released_key
from ammg.measures.measure import Risk
from ammg.measures.measurement import Measurement, People, Table, counts
from ammg.summaries.folded_pair import FoldedPair


class Frequency(Risk):
    """Share of released records that are unique on what the intruder knows (sample uniques).

    f counts the released records with the same known values, F estimates how many people have them in the population
    (the sum of the weights, or f without weights). Records with f < k break k-anonymity. Numbers count as categories.
    `ammg.record_risks(masked)` gives f, F and risk of each record, `ammg.category_counts(masked)` counts of categories.
    Records are counted one by one; households may be unique where their members are not (`household_linkage`).
    Source: Truta, Fotouhi and Barth-Jones (2003); Hundepool et al. (2012), section 3.5.
    """

    also_called: ClassVar[tuple[str, ...]] = ("FreqCalc",)

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Count the cells of the known attributes in the released file."""
        key = released_key(pair, scenario)
        cells = key.cells
        weights = pair.weights(masked=True)
        sums = None if weights is None else cells.sums(weights)
        found = _found(key.names, [(cells.counts, sums)])
        return replace(found, people=People(_risk(cells.counts, sums)[cells.index]))

    def fold(self, pair: FoldedPair, scenario: Scenario) -> Measurement:
        """The same from the cells of chunks."""
        key = folded_key(pair, scenario)
        return _found(key.names, ((cells.counts, cells.weights) for cells in key.counts()))


def _found(
    names: tuple[str, ...], parts: Iterable[tuple[NDArray[np.int64], NDArray[np.float64] | None]]
) -> Measurement:
    """What the cells tell: their records and weights, some cells at a time."""
    sizes = (2, 3, 5)
    cells, expected, alike, below = 0, 0.0, AlikeCounts(), np.zeros(3, np.int64)
    for records, weights in parts:
        cells += len(records)
        expected += float((records * _risk(records, weights)).sum())
        alike.add(records, records)
        below += [int(records[records < k].sum()) for k in sizes]
    uniques = int(below[0])
    return Measurement(
        value=uniques / alike.total,
        facts={"keys": names, "uniques": uniques, "cells": cells, "expected_reidentifications": expected},
        tables={"below_k": Table({"k": counts(sizes), "records": counts(below.tolist())})},
        charts=(alike.chart(),),
    )


def _risk(records: NDArray[np.int64], weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """The risk of a record in each cell."""
    population = records.astype(np.float64) if weights is None else weights
    return np.minimum(np.divide(1.0, population, out=np.ones(len(records)), where=population > 0), 1.0)
