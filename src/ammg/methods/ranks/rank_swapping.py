"""Rank swapping."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ammg.data.published import Published, RankWindow
from ammg.methods.ranks.swapping import SwapsBelowP
from ammg.params import param


class RankSwapping(SwapsBelowP):
    """Swap each value with another one of nearby rank.

    Keeps every column's values (means, variances, quantiles) exactly; weakens correlations. Each column is swapped by
    itself, with a partner less than p percent of its values away in rank (the next rank always counts as near). With
    `top` or `bottom`, only the mean of the tail, hence the total of the column, is kept; partners and the window stay
    the same. An intruder who has read the description follows the swap partners from column to column and re-identifies
    everybody: 100 percent of CENSUS at p = 15, 40 and 70, even with only 3 of its 13 columns known. A little additional
    masking does not hide the partners: with noise of 0.5 percent of a standard deviation, rounding to 100, or averages
    of three, at least 99 percent are still found (400 records, p = 15, 3 columns known). Rank swapping protects only
    against intruders who do not know how the file was made; `BoundedRankPermutation` loses as much information and has
    no partners to follow. Source: Moore (1996); Yancey, Winkler and Creecy (2002), section 2.2.
    """

    also_called: ClassVar[tuple[str, ...]] = ("RankSwap",)

    p: float = param(
        5.0, "Rank distance that partners stay below, in percent of the records.", gt=0, le=100, search=(1, 20)
    )

    def sources(self, values: NDArray[np.float64], reach: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Partners drawn uniformly from those within reach that are still free."""
        from ammg.kernels.ranks.rank_swap import swap_sources

        return swap_sources(values, reach, rng)

    def published(self, names: tuple[str, ...], reach: tuple[int, ...]) -> Published:
        """The window, which an intruder can use."""
        return RankWindow(names, reach, self.within, trade=True)
