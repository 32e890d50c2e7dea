"""IL4: the change of variances."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ammg.kernels.loss.information_loss import il4_entries
from ammg.measures.loss.numbers.moment_loss import Compared, NumberLoss, averaged, differences, lost
from ammg.measures.measurement import Measurement


class IL4(NumberLoss):
    """Mean relative change of the variances.

    Source: Domingo-Ferrer and Torra (2001); Yancey, Winkler and Creecy (2002), section 2.4.
    """

    anchor = "constant"

    def of(self, compared: Compared) -> Measurement:
        """Compare variances; one that the release does not have is charged 1."""
        before, after = np.diag(compared.before.cov), np.diag(compared.after.cov)
        entries = il4_entries(compared.before, compared.after)
        result = averaged(compared.names, lost(entries, before, after), 1.0)
        return replace(result, tables={"differences": differences(compared.names, before, after)})
