"""IL2: the change of means."""

from __future__ import annotations

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.kernels.information_loss import il2_entries
from ammg.measures.measure import Measurement
from ammg.measures.moment_loss import NumberLoss, averaged, lost


class IL2(NumberLoss):
    """Mean relative change of the means, against the whole original file.

    Source: Domingo-Ferrer and Torra (2001); Yancey, Winkler and Creecy (2002), section 2.4.
    """

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Compare means; one that the release does not have is charged 1."""
        compared = self.compared(pair)
        entries = il2_entries(compared.before, compared.after)
        return averaged(compared.names, lost(entries, compared.before.mean, compared.after.mean), 1.0)
