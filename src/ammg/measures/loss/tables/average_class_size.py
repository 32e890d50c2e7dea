"""The mean size of equivalence classes."""

from __future__ import annotations

from typing import ClassVar

from ammg.measures.loss.tables.class_sizes import ClassSizeLoss, ClassSizes
from ammg.measures.measurement import Measurement


class AverageClassSize(ClassSizeLoss):
    """Growth of the mean size of equivalence classes: 0 if unchanged, 1 if twice as large.

    The fact `size` is the mean size itself; all withheld records form one class. Source: LeFevre, DeWitt and
    Ramakrishnan (2006).
    """

    also_called: ClassVar[tuple[str, ...]] = ("AECS",)

    def of(self, sizes: ClassSizes) -> Measurement:
        """Compare mean sizes."""
        before = sizes.records / max(1, len(sizes.before))
        after = (int(sizes.after.sum()) + sizes.withheld) / max(1, len(sizes.after) + (sizes.withheld > 0))
        value = max(0.0, after / before - 1) if before else 0.0
        return Measurement(value, facts={"size": after, "size_original": before, "withheld": sizes.withheld})
