"""The distance between contingency tables."""

from __future__ import annotations

from ammg.kernels.loss.tables import total_variation
from ammg.measures.loss.tables.comparison import Names, TableComparison
from ammg.measures.loss.tables.table_loss import TableLoss


class ContingencyTableDistance(TableLoss):
    """Share of the records in the wrong cell of a contingency table of up to three attributes, averaged over tables.

    This is the total variation distance: the smallest share of records that must move to turn one table into the other.
    Missing values are a cell of their own, so withheld values count as a loss; a class of several categories is split
    evenly among them. Source: Domingo-Ferrer and Torra (2001), section 3.2, as a share.
    """

    range = (0.0, 1.0)
    percent = True

    def of_table(self, tables: TableComparison, names: Names) -> float | None:
        """Compare the distributions."""
        return 0.0 if tables.is_same(names) else total_variation(*tables.tables(names))
