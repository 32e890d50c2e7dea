"""k-anonymity."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.measures.anonymity.released_key import (
    Floats,
    Missing,
    folded_key,
    frequencies,
    look_alikes,
    missing_param,
    released_key,
)
from ammg.measures.measure import Risk
from ammg.measures.measurement import Column, Measurement, People, Table, counts
from ammg.params import param
from ammg.summaries.folded_pair import FoldedPair


class KAnonymity(Risk):
    """Share of released records that fewer than k records resemble on what the intruder knows.

    `ammg.records_below(masked, k)` gives the number of such records.
    Source: Samarati and Sweeney (1998). μ-ARGUS calls a record unsafe up to and including its threshold: that is k - 1.
    """

    suggested_limit: ClassVar[float | None] = 0.0

    k: int = param(3, "Least number of records that look alike.", ge=2)
    missing: Missing = missing_param()

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Count the records that look like each one."""
        from ammg.criteria.anonymity import violates_anonymity

        key = released_key(pair, scenario)
        f, population = frequencies(pair, key, self.missing)
        violating = violates_anonymity(f, self.k)
        people = People(1.0 / f, riskiest=key.riskiest(np.where(violating, 1.0 / f, 0.0)))
        return self._found(key.names, f, population, np.ones(len(f), dtype=np.int64), people)

    def fold(self, pair: FoldedPair, scenario: Scenario) -> Measurement:
        """Count the records of each cell, and how many look like them."""
        key = folded_key(pair, scenario)
        return self._found(key.names, *key.frequencies(self.missing), key.cells.counts, People())

    def _found(
        self, names: tuple[str, ...], f: Floats, population: Floats | None, records: NDArray[np.int64], people: People
    ) -> Measurement:
        """`records` is how many records each entry of f stands for."""
        from ammg.criteria.anonymity import violates_anonymity

        violating = int(records[violates_anonymity(f, self.k)].sum())
        sizes = sorted({2, 3, 5, self.k})
        below: dict[str, Column] = {}
        for name, found in (("records", f), ("in_population", population)):
            if found is not None:
                below[name] = counts(records[violates_anonymity(found, k)].sum() for k in sizes)
        return Measurement(
            value=violating / int(records.sum()),
            facts={"keys": names, "violating": violating, "smallest": float(f.min())},
            tables={"below_k": Table({"k": counts(sizes), **below})},
            charts=(look_alikes(f, records),),
            people=people,
        )
