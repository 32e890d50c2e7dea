"""Rank swapping over normal distances."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.methods.swapping import SwapsRanks


class DistributionRankSwapping(SwapsRanks):
    """Swap each value with one at a normally distributed distance of ranks.

    The distance is |N(p/2, (p/2)²)| percent of the records. Keeps every column's values (means, variances, quantiles)
    exactly; weakens correlations. No distance is impossible, so no window tells an intruder which records to leave
    out, as with plain rank swapping. Source: Nin, Herranz and Torra (2008), rank swapping p-distribution.
    """

    def sources(self, values: NDArray[np.float64], reach: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Partners nearest to the drawn distance among those still free."""
        from ammg.kernels.rank_swap import normal_sources

        return normal_sources(values, reach, rng)
