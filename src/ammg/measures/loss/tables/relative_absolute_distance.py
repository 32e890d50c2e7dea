"""RAAD: the relative error of table cells."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from ammg.kernels.loss.tables import without_missing
from ammg.measures.loss.tables.comparison import Names, TableComparison
from ammg.measures.loss.tables.table_loss import TableLoss
from ammg.params import param


class RelativeAbsoluteDistance(TableLoss):
    """Mean relative difference of the counts of a table's cells (RAAD), averaged over tables.

    Cells that are empty in the original are left out. If the masked file has another size, its counts are scaled to the
    original's. Source: Shlomo, slides on information loss.
    """

    anchor: ClassVar[Literal["permutation", "constant"]] = "constant"
    also_called: ClassVar[tuple[str, ...]] = ("RAAD",)

    order: int = param(1, "Number of attributes per table.", ge=1, le=3)

    def of_table(self, tables: TableComparison, names: Names) -> float | None:
        """Average over the cells that are not empty in the original."""
        before, after = tables.tables(names)
        after = after * (before.sum() / max(after.sum(), 1e-300))
        before, after = without_missing(before), without_missing(after)
        filled = before > 0
        return float((np.abs(after - before)[filled] / before[filled]).mean()) if filled.any() else None
