"""AAD: the error of table cells."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from ammg.kernels.loss.tables import without_missing
from ammg.measures.loss.tables.comparison import Names, TableComparison
from ammg.measures.loss.tables.table_loss import TableLoss
from ammg.params import param


class AverageAbsoluteDistance(TableLoss):
    """Mean absolute difference of the counts of a table's cells (AAD), averaged over tables.

    Empty cells of the table count too. If the masked file has another size, its counts are scaled to the original's;
    withheld values are missing from the counts. Source: Shlomo, slides on information loss.
    """

    anchor: ClassVar[Literal["permutation", "constant"]] = "constant"
    also_called: ClassVar[tuple[str, ...]] = ("AAD",)

    order: int = param(1, "Number of attributes per table.", ge=1, le=3)

    def of_table(self, tables: TableComparison, names: Names) -> float | None:
        """Average over cells."""
        before, after = tables.tables(names)
        after = after * (before.sum() / max(after.sum(), 1e-300))
        cells = np.abs(without_missing(after) - without_missing(before))
        return float(cells.mean()) if cells.size else None
