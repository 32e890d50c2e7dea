"""Granularity: how large the classes are that categories were merged into."""

from __future__ import annotations

import numpy as np

from ammg.measures.loss.tables.comparison import TableComparison
from ammg.measures.loss.tables.table_loss import TransitionLoss


class Granularity(TransitionLoss):
    """Mean share of the categories that a released class covers, (m - 1)/(L - 1); 1 for a suppressed value.

    It measures how coarse a release is, not whether its values are right. Source: Iyengar (2002).
    """

    range = (0.0, 1.0)
    percent = True

    def of_attribute(self, tables: TableComparison, name: str) -> float | None:
        """Average over the values that the original has."""
        made = tables.transition(name)
        records = made.observed.sum(axis=0)
        if not records.sum():
            return None
        coarse = np.append(np.minimum((made.members - 1) / max(made.size - 1, 1), 1.0), 1.0)
        return float(np.dot(records, np.maximum(coarse, 0.0)) / records.sum())
