"""IL3: the change of covariances."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.kernels.information_loss import average, il3_entries, il3r_entries
from ammg.measures.measure import Measurement
from ammg.measures.moment_loss import NumberLoss, averaged, lost


class IL3(NumberLoss):
    """Mean relative change of the variances and covariances.

    Covariances near zero dominate it; `details` has IL3r, which divides by the standard deviations instead.
    Source: Domingo-Ferrer and Torra (2001); Yancey, Winkler and Creecy (2002), section 2.4.
    """

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Compare the lower triangles of the covariance matrices; an entry that is gone is charged 1."""
        compared = self.compared(pair)
        lower = np.tril_indices(len(compared.names))
        entries = il3_entries(compared.before, compared.after)
        entries = lost(entries, compared.before.cov[lower], compared.after.cov[lower])
        result = averaged((), entries, 1.0)
        robust = average(il3r_entries(compared.before, compared.after))
        return replace(result, by_column={}, details={**result.details, "il3r": robust})
