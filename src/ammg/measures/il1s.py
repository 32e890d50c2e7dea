"""IL1s: the mean change of a number in standard deviations."""

from __future__ import annotations

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.kernels.information_loss import il1s_entries
from ammg.measures.measure import Measurement
from ammg.measures.moment_loss import NumberLoss, averaged


class IL1s(NumberLoss):
    """Mean of |x - z| / (√2·S) over all cells, S the original standard deviation.

    Does not depend on units and has no small denominators. A cell that is gone is charged as if an analyst had put the
    released mean in its place. The column of this name in Yancey, Winkler and Creecy (2002) is IL1/√2 for rank swapping
    and plain noise; this is the definition, not their slip. Source: Yancey, Winkler and Creecy (2002), section 2.4.
    """

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Compare cell by cell."""
        compared = self.compared(pair)
        return averaged(compared.names, il1s_entries(compared.cells[0], compared.imputed, compared.before.sd))
