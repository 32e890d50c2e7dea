"""The energy distance of distributions."""

from __future__ import annotations

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.measures.loss.distributions.ordered_columns import OrderLoss
from ammg.measures.measurement import Measurement


class EnergyDistance(OrderLoss):
    """Energy distance between the distributions of both files, averaged over attributes.

    √(2 ∫ (F - G)²) in roots of the original standard deviation (Székely and Rizzo 2013). A withheld value counts as if
    it were imputed by the mean; any change of a constant attribute counts 1.
    """

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Compare distribution functions."""
        by_column = self.by_column(pair, lambda column: column.distances.energy)
        return Measurement(sum(by_column.values()) / len(by_column), by_column=by_column)
