"""RCV: the change of the association between categories."""

from __future__ import annotations

from typing import ClassVar

from ammg.errors import NotDefined
from ammg.kernels.loss.tables import cramers_v, without_missing
from ammg.measures.loss.tables.comparison import Names, TableComparison
from ammg.measures.loss.tables.table_loss import CategoryLoss
from ammg.measures.measurement import Measurement, Table, numbers, text
from ammg.params import param


class CramersVDifference(CategoryLoss):
    """Mean relative change of Cramér's V over the pairs of attributes (RCV).

    Categories that are empty in the original are left out of both tables; pairs without association in the original are
    left out and counted. The table has signed percentages. Source: Shlomo, slides on information loss.
    """

    percent: ClassVar[bool] = True
    also_called: ClassVar[tuple[str, ...]] = ("RCV",)

    weighted: bool = param(False, "Whether sampling weights are summed instead of counting records.")

    def spanned(self, names: Names) -> tuple[Names, ...]:
        """All pairs."""
        if len(names) < 2:
            raise NotDefined("an association needs two attributes")
        return tuple((first, second) for place, first in enumerate(names) for second in names[place + 1 :])

    def of(self, tables: TableComparison) -> Measurement:
        """Compare every pair."""
        found: dict[Names, tuple[float, float]] = {}
        spanned = self.spanned(tables.names)
        small = tables.small(spanned)
        for names in small:
            before, after = map(without_missing, tables.tables(names))
            rows, columns = before.sum(axis=1) > 0, before.sum(axis=0) > 0
            first, second = (cramers_v(table[rows][:, columns]) for table in (before, after))
            if first > 1e-12:
                found[names] = (first, second)
        if not found:
            raise NotDefined("no two attributes are associated in the original")
        changes = {names: (after - before) / before for names, (before, after) in found.items()}
        table = Table(
            {
                "attributes": text(" × ".join(names) for names in found),
                "original": numbers(before for before, _ in found.values()),
                "percent": numbers(100 * change for change in changes.values()),
            }
        )
        value = sum(map(abs, changes.values())) / len(changes)
        return Measurement(value, facts={"skipped": len(spanned) - len(found)}, tables={"pairs": table})
