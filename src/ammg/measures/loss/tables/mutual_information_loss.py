"""The change of the associations between attributes."""

from __future__ import annotations

from typing import ClassVar

from ammg.errors import NotDefined
from ammg.kernels.loss.tables import mutual_information, without_missing
from ammg.measures.loss.tables.comparison import Names, TableComparison
from ammg.measures.loss.tables.table_loss import CategoryLoss
from ammg.measures.measurement import Measurement


class MutualInformationLoss(CategoryLoss):
    """Change of the mutual information of pairs of attributes, as a share of all that the original had.

    Σ|I - I'| / ΣI over the pairs, so that independent pairs have no weight.
    """

    percent: ClassVar[bool] = True

    def spanned(self, names: Names) -> tuple[Names, ...]:
        """All pairs."""
        if len(names) < 2:
            raise NotDefined("an association needs two attributes")
        return tuple((first, second) for place, first in enumerate(names) for second in names[place + 1 :])

    def of(self, tables: TableComparison) -> Measurement:
        """Compare every pair."""
        spanned = self.spanned(tables.names)
        small = tables.small(spanned)
        found = [tuple(mutual_information(without_missing(table)) for table in tables.tables(names)) for names in small]
        total = sum(before for before, _ in found)
        if total < 1e-9:
            raise NotDefined("no two attributes are associated in the original")
        facts = {"bits": total, "bits_masked": sum(after for _, after in found), "skipped": len(spanned) - len(small)}
        return Measurement(sum(abs(before - after) for before, after in found) / total, facts=facts)
