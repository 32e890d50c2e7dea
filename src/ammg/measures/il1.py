"""IL1: the mean relative change of a number."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.kernels.information_loss import average_il1, il1_entries
from ammg.measures.measure import Measurement
from ammg.measures.moment_loss import NumberLoss, averaged
from ammg.params import param


class IL1(NumberLoss):
    """Mean relative change of a cell.

    `symmetric` divides by the mean of both absolute values and lies in 0 to 2 (Yancey, Winkler and Creecy 2002);
    `original` divides by the original value (Domingo-Ferrer and Torra 2001); `record` averages percent by record
    (Mateo-Sanz, Sebé and Domingo-Ferrer 2004). A cell that is gone is charged the greatest change: 2, or its whole
    value.
    """

    version: Literal["symmetric", "original", "record"] = param("symmetric", "Which published form to compute.")
    zero: Literal["constant", "masked"] = param(
        "constant", "Denominator where the original is zero: 1, or the masked value."
    )

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Compare cell by cell."""
        compared = self.compared(pair)
        original, masked = compared.cells
        entries = il1_entries(original, masked, self.version, self.zero)
        entries = np.where(compared.gone, 2.0 if self.version == "symmetric" else 1.0, entries)
        result = averaged(compared.names, entries)
        if self.version != "record":
            return result
        return Measurement(average_il1(entries, "record"), by_column=result.by_column, details=result.details)
