"""How well the known attributes distinguish people."""

from __future__ import annotations

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.measures.anonymity.released_key import released_key
from ammg.measures.measure import Risk
from ammg.measures.measurement import Chart, Measurement, Table, shares, text
from ammg.params import param


class KeySeparation(Risk):
    """Distinction of the known attributes: distinct combinations over records, also for every subset.

    Separation, the share of pairs of records that differ, is given too. Recode small subsets with a large distinction
    first. Source: Motwani and Xu (2007).
    """

    dimension: int = param(3, "Largest subset to list.", ge=1, le=10)

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Describe all subsets."""
        from ammg.criteria.key_subsets import describe_subset, rank_key_subsets

        key = released_key(pair, scenario)
        whole = describe_subset(key.codes, key.sizes)
        subsets = rank_key_subsets(key.codes, key.sizes, self.dimension)
        ranked = sorted(subsets, key=lambda subset: -subset.distinction)[:30]
        singles = {key.names[s.keys[0]]: s.distinction for s in subsets if len(s.keys) == 1}
        return Measurement(
            value=whole.distinction,
            by_column=singles,
            facts={"separation": whole.separation},
            tables={
                "subsets": Table(
                    {
                        "attributes": text(key.joined(s.keys) for s in ranked),
                        "distinction": shares(s.distinction for s in ranked),
                        "separation": shares(s.separation for s in ranked),
                    }
                )
            },
            charts=(
                Chart(
                    "points",
                    "Subsets of the known attributes",
                    tuple(s.distinction for s in subsets),
                    {"separation": tuple(s.separation for s in subsets)},
                    "distinction",
                    "separation",
                ),
            ),
        )
