"""SSE/SST: the share of the variation that is lost."""

from __future__ import annotations

from typing import ClassVar

from ammg.errors import NotDefined
from ammg.kernels.loss.cell_changes import SquaredChange, SquaredDeviation
from ammg.measures.loss.numbers.moment_loss import Compared, NumberLoss
from ammg.measures.measurement import Measurement


class SumOfSquaresLoss(NumberLoss):
    """Squared changes over the total sum of squares (SSE/SST), averaged over attributes.

    This is the usual loss for comparing microaggregations, on standardised attributes (Domingo-Ferrer and Mateo-Sanz
    2002); 1 if every value is replaced by the mean. A suppressed cell counts as if it were imputed by the released
    mean.
    """

    percent: ClassVar[bool] = True
    also_called: ClassVar[tuple[str, ...]] = ("SSE",)

    def of(self, compared: Compared) -> Measurement:
        """Compare cell by cell."""
        within = compared.over_cells(SquaredChange(compared.imputed)).by_column
        total = compared.over_cells(SquaredDeviation(compared.means)).by_column
        by_column = {
            name: change / spread
            for name, change in within.items()
            if (spread := total[name] or 0) and change is not None
        }
        if not by_column:
            raise NotDefined("no numeric attribute varies")
        value = sum(by_column.values()) / len(by_column)
        return Measurement(value, by_column=by_column, facts={"skipped": len(compared.names) - len(by_column)})
