"""Rank swapping between buckets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.methods.swapping import SwapsRanks


class BucketRankSwapping(SwapsRanks):
    """Swap each value with one of its own bucket of ranks or, ever less likely, of a higher one.

    A bucket holds p percent of the records, and each further bucket is half as likely. Keeps every column's values
    (means, variances, quantiles) exactly; weakens correlations. Any two records may have been swapped, so no window
    tells an intruder which to leave out. Source: Nin, Herranz and Torra (2008), rank swapping p-buckets.
    """

    def sources(self, values: NDArray[np.float64], reach: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Partners drawn uniformly from the drawn bucket."""
        from ammg.kernels.rank_swap import bucket_sources

        return bucket_sources(values, reach, rng)
