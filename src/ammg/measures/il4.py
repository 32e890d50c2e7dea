"""IL4: the change of variances."""

from __future__ import annotations

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.kernels.information_loss import il4_entries
from ammg.measures.measure import Measurement
from ammg.measures.moment_loss import NumberLoss, averaged, lost


class IL4(NumberLoss):
    """Mean relative change of the variances.

    Source: Domingo-Ferrer and Torra (2001); Yancey, Winkler and Creecy (2002), section 2.4.
    """

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Compare variances; one that the release does not have is charged 1."""
        compared = self.compared(pair)
        entries = il4_entries(compared.before, compared.after)
        return averaged(compared.names, lost(entries, np.diag(compared.before.cov), np.diag(compared.after.cov)), 1.0)
