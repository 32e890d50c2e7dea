"""The Wasserstein distance of distributions."""

from __future__ import annotations

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.measures.loss.distributions.ordered_columns import OrderLoss
from ammg.measures.measurement import Measurement


class WassersteinDistance(OrderLoss):
    """Area between the distribution functions of both files in original standard deviations (Wasserstein-1), averaged.

    This is how far values must move on average to turn one distribution into the other. A withheld value counts as if
    it were imputed by the mean; any change of a constant attribute counts 1.
    """

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Compare distribution functions."""
        by_column = self.by_column(pair, lambda column: column.distances.wasserstein)
        return Measurement(sum(by_column.values()) / len(by_column), by_column=by_column)
