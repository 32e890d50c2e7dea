"""How many records changed their category."""

from __future__ import annotations

import numpy as np

from ammg.measures.loss.tables.comparison import TableComparison
from ammg.measures.loss.tables.table_loss import TransitionLoss


class SwitchingPercentage(TransitionLoss):
    """Share of the records whose category, or band of a number, changed, averaged over attributes.

    A value merged into its own class counts as unchanged, a suppressed value as changed. Source: Sullivan and Fuller
    (1989), Table 4.1; Shlomo, slides on information loss.
    """

    range = (0.0, 1.0)
    percent = True

    def of_attribute(self, tables: TableComparison, name: str) -> float | None:
        """Compare each value with the class that stands for it."""
        made = tables.transition(name)
        total = made.observed.sum()
        known = np.flatnonzero(made.own >= 0)
        kept = made.observed[known, made.own[known]].sum()
        return float(1 - kept / total) if total else None
