"""The change of median absolute deviations."""

from __future__ import annotations

import numpy as np

from ammg.kernels.columns import median
from ammg.measures.loss.distributions.ordered_columns import Floats, OrderStatisticLoss


class MadDifference(OrderStatisticLoss):
    """Mean relative change of the median absolute deviations.

    Attributes with a deviation of zero (more than half of the values are equal) are left out and counted; a missing
    statistic counts 1.
    """

    def statistics(self, ordered: Floats) -> Floats:
        """The median of the absolute deviations from the median."""
        return np.array([median(np.abs(ordered - median(ordered)))])
