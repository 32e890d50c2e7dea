"""How well the known attributes tell people apart."""

from __future__ import annotations

from typing import ClassVar, Literal

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.measures.measure import Chart, Measure, Measurement
from ammg.measures.released_key import released_key
from ammg.params import param


class KeySeparation(Measure):
    """Distinction of the known attributes: distinct combinations over records, with every smaller subset beside it.

    Separation, the share of pairs of records that differ, is given too. Small subsets with a large distinction are the
    ones to recode first. Source: Motwani and Xu (2007).
    """

    family: ClassVar[Literal["risk", "loss"]] = "risk"
    percent: ClassVar[bool] = True
    default: ClassVar[bool] = False

    dimension: int = param(3, "Largest subset that is listed.", ge=1, le=10)

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
            details={
                "separation": whole.separation,
                "subsets": [
                    {
                        "attributes": [key.names[i] for i in s.keys],
                        "distinction": s.distinction,
                        "separation": s.separation,
                    }
                    for s in ranked
                ],
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
