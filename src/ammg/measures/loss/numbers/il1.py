"""IL1: the mean relative change of a number."""

from __future__ import annotations

from typing import Literal

from ammg.kernels.loss.cell_changes import RelativeChange
from ammg.measures.loss.numbers.moment_loss import Compared, NumberLoss
from ammg.measures.measurement import Measurement
from ammg.params import param


class IL1(NumberLoss):
    """Mean relative change of a cell.

    `symmetric` divides by the mean of both absolute values and lies in 0 to 2 (Yancey, Winkler and Creecy 2002);
    `original` divides by the original value (Domingo-Ferrer and Torra 2001); `record` averages percent by record
    (Mateo-Sanz, Sebé and Domingo-Ferrer 2004). A suppressed cell counts with the largest change: 2, or its whole value.
    """

    version: Literal["symmetric", "original", "record"] = param("symmetric", "Which published form to compute.")
    zero: Literal["constant", "masked"] = param(
        "constant", "Denominator if the original is zero: 1, or the masked value."
    )

    def of(self, compared: Compared) -> Measurement:
        """Compare cell by cell."""
        change = RelativeChange(self.version, self.zero)
        result = compared.over_cells(change)
        if self.version != "record":
            return result
        return Measurement(compared.over_records(change), by_column=result.by_column, facts=result.facts)
