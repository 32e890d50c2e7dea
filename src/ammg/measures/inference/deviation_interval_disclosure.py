"""Standard deviation interval disclosure."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ammg.measures.inference.interval_disclosure import IntervalDisclosure
from ammg.params import param


class DeviationIntervalDisclosure(IntervalDisclosure):
    """Share of numbers within a few percent of a standard deviation of the released value (SDID).

    The interval extends p percent of the standard deviation to each side, averaged over p = 1 … 10. Constant columns
    count as disclosed. Source: Mateo-Sanz, Sebé and Domingo-Ferrer (2004), section 3.3.
    """

    also_called: ClassVar[tuple[str, ...]] = ("DRisk",)

    deviation: Literal["masked", "original"] = param("masked", "Whose standard deviation is the unit.")

    def hits(self, original: NDArray[np.float64], masked: NDArray[np.float64]) -> NDArray[np.float64]:
        """Look into the intervals of one attribute."""
        from ammg.kernels.columns import profile
        from ammg.kernels.inference.interval_disclosure import deviation_intervals

        unit = None
        if self.deviation == "original":
            found = profile(original)
            unit = found.sd if found.observed > 1 else 0.0
        return deviation_intervals(original, masked, unit, self.percent_widths, self.width)
