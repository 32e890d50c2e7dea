"""IL1s: the mean change of a number in standard deviations."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ammg.kernels.loss.cell_changes import ScaledChange
from ammg.measures.loss.numbers.moment_loss import Compared, NumberLoss
from ammg.measures.measurement import Measurement


class IL1s(NumberLoss):
    """Mean of |x - z| / (√2·S) over all cells, S the original standard deviation.

    It does not depend on units and has no small denominators. A suppressed cell counts as if it were imputed by the
    released mean. The column of this name in Yancey, Winkler and Creecy (2002) is IL1/√2 for rank swapping and plain
    noise; here their definition is used, not that slip. Source: Yancey, Winkler and Creecy (2002), section 2.4.
    """

    also_called: ClassVar[tuple[str, ...]] = ("DUtility",)

    def of(self, compared: Compared) -> Measurement:
        """Compare cell by cell."""
        return compared.over_cells(ScaledChange(np.sqrt(2.0) * compared.deviations, compared.imputed))
