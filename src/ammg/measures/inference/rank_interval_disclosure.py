"""Rank interval disclosure."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ammg.measures.inference.interval_disclosure import IntervalDisclosure


class RankIntervalDisclosure(IntervalDisclosure):
    """Share of numbers whose rank is close to that of the released value (RID).

    The interval extends p percent of the records up and down the sorted released column, averaged over p = 1 … 10. Does
    not depend on the scale of an attribute. Suppressed cells and dropped records have no interval and are left out.
    Source: Mateo-Sanz, Sebé and Domingo-Ferrer (2004), section 3.3.
    """

    at_once: ClassVar[int] = 4

    def hits(self, original: NDArray[np.float64], masked: NDArray[np.float64]) -> NDArray[np.float64]:
        """Look into the rank intervals of one attribute."""
        from ammg.kernels.inference.interval_disclosure import rank_intervals

        return rank_intervals(original, masked, self.percent_widths, self.width)
