"""The score of Domingo-Ferrer and Torra: half loss, half risk."""

from __future__ import annotations

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.measures.loss.scores.classical import value_of
from ammg.measures.measure import Score
from ammg.measures.measurement import Measurement

_LOSSES = ("il1", "il2", "il3", "il4", "il5")
_RISKS = {"distance_linkage": 0.125, "probabilistic_linkage": 0.125, "rank_interval_disclosure": 0.25}


class DomingoFerrerTorraScore(Score):
    """Half the mean of IL1 to IL5, an eighth of each linkage and a quarter of interval disclosure, in percent.

    IL1 is the form that divides by the original value; the linkages are distance-based and probabilistic, the intervals
    those of ranks. Source: Domingo-Ferrer and Torra (2001), A quantitative comparison of disclosure control methods.
    """

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Weigh loss and risk."""
        losses = {
            name: value_of(name, pair, scenario, **({"version": "original"} if name == "il1" else {}))
            for name in _LOSSES
        }
        risks = {name: value_of(name, pair, scenario) for name in _RISKS}
        loss = sum(losses.values()) / len(losses)
        value = 100 * (loss / 2 + sum(weight * risks[name] for name, weight in _RISKS.items()))
        return Measurement(value, facts={**losses, **risks})
