"""k-anonymity."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.measures.anonymity.folded_key import Alike, folded_key
from ammg.measures.anonymity.released_key import AlikeCounts, Missing, frequencies, missing_param, released_key
from ammg.measures.measure import Risk
from ammg.measures.measurement import Measurement, People, Table, counts
from ammg.params import param
from ammg.summaries.folded_pair import FoldedPair


class KAnonymity(Risk):
    """Share of released records in an equivalence class of fewer than k records.

    `ammg.records_below(masked, k)` gives the number of such records. If missing values match every value, a few records
    without any known value match everybody, although an intruder prefers exact matches. The fact `only_by_missing`
    counts the records that reach k only in this way; `missing: category` counts them as failing. Records are counted
    one by one; households may be unique even if their members are not (`household_linkage`). Source: Samarati and
    Sweeney (1998). The threshold of μ-ARGUS corresponds to k - 1.
    """

    suggested_limit: ClassVar[float | None] = 0.0

    k: int = param(3, "Smallest number of records in an equivalence class.", ge=2)
    missing: Missing = missing_param()

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Count the records in each equivalence class."""
        from ammg.criteria.class_sizes import KAnonymity as Criterion

        key = released_key(pair, scenario)
        f, population = frequencies(pair, key, self.missing)
        violating = Criterion(k=self.k).breaks(f)
        people = People(1.0 / f, riskiest=key.riskiest(np.where(violating, 1.0 / f, 0.0)))
        records = np.ones(len(f), dtype=np.int64)
        exact = Alike(frequencies(pair, key, "category")[0], None, records)
        return self._found(key.names, [(Alike(f, population, records), exact)], people)

    def fold(self, pair: FoldedPair, scenario: Scenario) -> Measurement:
        """Count the records of each cell, and how many match them."""
        key = folded_key(pair, scenario)
        parts = zip(key.frequencies(self.missing), key.frequencies("category"), strict=True)
        return self._found(key.names, parts, People())

    def _found(self, names: tuple[str, ...], parts: Iterable[tuple[Alike, Alike]], people: People) -> Measurement:
        """Results from matching and exactly matching records, for some records at a time."""
        from ammg.criteria.class_sizes import KAnonymity as Criterion

        sizes = sorted({2, 3, 5, self.k})
        alike, smallest, below = AlikeCounts(), np.inf, dict[str, NDArray[np.int64]]()
        loose = 0
        for part, exact in parts:
            enough = ~Criterion(k=self.k).breaks(part.sample)
            loose += int(part.records[enough & Criterion(k=self.k).breaks(exact.sample)].sum())
            alike.add(part.sample, part.records)
            smallest = min(smallest, float(part.sample.min(initial=np.inf)))
            for name, found in (("records", part.sample), ("in_population", part.population)):
                if found is not None:
                    few = np.array([int(part.records[Criterion(k=k).breaks(found)].sum()) for k in sizes])
                    below[name] = below.get(name, 0) + few
        violating = int(below["records"][sizes.index(self.k)])
        columns = {name: counts(few.tolist()) for name, few in below.items()}
        return Measurement(
            value=violating / alike.total,
            facts={"keys": names, "violating": violating, "smallest": smallest, "only_by_missing": loose},
            tables={"below_k": Table({"k": counts(sizes), **columns})},
            charts=(alike.chart(),),
            people=people,
        )
