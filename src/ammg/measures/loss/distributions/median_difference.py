"""The change of medians."""

from __future__ import annotations

import numpy as np

from ammg.measures.loss.distributions.ordered_columns import Floats, OrderStatisticLoss


class MedianDifference(OrderStatisticLoss):
    """Mean relative change of the medians.

    Medians of zero are left out and counted; a statistic missing from the release counts 1. The table `differences` has
    signed percentages.
    """

    def statistics(self, ordered: Floats) -> Floats:
        """The median."""
        return np.array([_median(ordered)])


def _median(ordered: Floats) -> float:
    middle = len(ordered) // 2
    return float(ordered[middle]) if len(ordered) % 2 else float((ordered[middle - 1] + ordered[middle]) / 2)
