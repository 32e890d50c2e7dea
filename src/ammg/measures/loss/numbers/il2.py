"""IL2: the change of means."""

from __future__ import annotations

from dataclasses import replace

from ammg.kernels.loss.information_loss import il2_entries
from ammg.measures.loss.numbers.moment_loss import Compared, NumberLoss, averaged, differences, lost
from ammg.measures.measurement import Measurement


class IL2(NumberLoss):
    """Mean relative change of the means, against the whole original file.

    Source: Domingo-Ferrer and Torra (2001); Yancey, Winkler and Creecy (2002), section 2.4.
    """

    anchor = "constant"

    def of(self, compared: Compared) -> Measurement:
        """Compare means; one that the release does not have is charged 1."""
        before, after = compared.before.mean, compared.after.mean
        entries = il2_entries(compared.before, compared.after)
        result = averaged(compared.names, lost(entries, before, after), 1.0)
        return replace(result, tables={"differences": differences(compared.names, before, after)})
