"""The Hellinger distance of tables."""

from __future__ import annotations

from ammg.kernels.loss.tables import hellinger
from ammg.measures.loss.tables.comparison import Names, TableComparison
from ammg.measures.loss.tables.table_loss import TableLoss


class HellingerDistance(TableLoss):
    """Hellinger distance of the distributions of tables, averaged over tables.

    √(½ Σ (√p - √q)²): it weighs rare cells more than the total variation distance. Missing values are a cell of their
    own; a class of several categories is shared evenly among them.
    """

    range = (0.0, 1.0)

    def of_table(self, tables: TableComparison, names: Names) -> float | None:
        """Compare the distributions."""
        return hellinger(*tables.tables(names))
