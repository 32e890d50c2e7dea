"""The change of quantiles."""

from __future__ import annotations

import numpy as np
from pydantic import field_validator

from ammg.measures.loss.distributions.ordered_columns import Floats, OrderStatisticLoss
from ammg.params import param

DECILES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


class QuantileDifference(OrderStatisticLoss):
    """Mean relative change of quantiles, by default the deciles.

    Quantiles are those of R and numpy by default (linear between order statistics). Quantiles of zero are left out and
    counted; a statistic missing from the release counts 1.
    """

    shares: tuple[float, ...] = param(DECILES, "Shares of the values below the quantiles, between 0 and 1.")

    @field_validator("shares")
    @classmethod
    def _inside(cls, shares: tuple[float, ...]) -> tuple[float, ...]:
        if not shares or not all(0 <= share <= 1 for share in shares):
            raise ValueError("give at least one share, each between 0 and 1")
        return shares

    def statistics(self, ordered: Floats) -> Floats:
        """The quantiles, from sorted values."""
        place = np.array(self.shares) * (len(ordered) - 1)
        low = np.floor(place).astype(np.int64)
        high = np.minimum(low + 1, len(ordered) - 1)
        return np.asarray(ordered[low] + (place - low) * (ordered[high] - ordered[low]))
