"""IL3: the change of covariances."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ammg.kernels.loss.information_loss import average, il3_entries, il3r_entries
from ammg.measures.loss.numbers.moment_loss import Compared, NumberLoss, averaged, lost
from ammg.measures.measurement import Measurement


class IL3(NumberLoss):
    """Mean relative change of the variances and covariances.

    Covariances near zero dominate it; the fact `il3r` divides by the standard deviations instead.
    Source: Domingo-Ferrer and Torra (2001); Yancey, Winkler and Creecy (2002), section 2.4.
    """

    def of(self, compared: Compared) -> Measurement:
        """Compare the lower triangles of the covariance matrices; an entry that is gone is charged 1."""
        lower = np.tril_indices(len(compared.names))
        entries = il3_entries(compared.before, compared.after)
        entries = lost(entries, compared.before.cov[lower], compared.after.cov[lower])
        result = averaged((), entries, 1.0)
        robust = average(il3r_entries(compared.before, compared.after))
        return replace(result, by_column={}, facts={**result.facts, "il3r": robust})
