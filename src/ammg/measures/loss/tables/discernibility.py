"""Discernibility: how many records each record cannot be distinguished from."""

from __future__ import annotations

import numpy as np

from ammg.measures.loss.tables.class_sizes import ClassSizeLoss, ClassSizes
from ammg.measures.measurement import Measurement


class Discernibility(ClassSizeLoss):
    """Growth of the equivalence classes: 0 as in the original, 1 if all records form one class.

    The fact `penalty` is the metric itself: the sum of squared class sizes, with a withheld record costing the number
    of records. Source: Bayardo and Agrawal (2005).
    """

    range = (0.0, 1.0)
    percent = True

    def of(self, sizes: ClassSizes) -> Measurement:
        """Compare the sums of squares."""
        n = float(sizes.records)
        before = float(np.square(sizes.before.astype(np.float64)).sum())
        penalty = float(np.square(sizes.after.astype(np.float64)).sum()) + n * sizes.withheld
        most = n * n - before
        value = min(1.0, max(0.0, penalty - before) / most) if most > 0 else float(penalty > before)
        return Measurement(value, facts={"penalty": penalty, "penalty_original": before, "withheld": sizes.withheld})
