"""Mondrian."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ammg.draws import Draws
from ammg.methods.recoding.local_classes import Grouped, LocalClassMethod

if TYPE_CHECKING:
    from ammg.kernels.recoding.key_spans import KeySpans

Ints = NDArray[np.int64]


class Mondrian(LocalClassMethod):
    """Cut the records at the median of the widest key until groups would be smaller than k, and release each as a box.

    Fast and deterministic: equal records get equal values. `LocalRecoding` loses about half as much. Keeps what can be
    told from intervals; what differs within a group is lost.
    Source: LeFevre, DeWitt and Ramakrishnan (2006), strict multidimensional partitioning, with each group's own
    bounds.
    """

    also_called: ClassVar[tuple[str, ...]] = ("MultidimensionalRecoding",)

    @classmethod
    def examples(cls) -> list[Self]:
        """Small groups, and one key that counts more."""
        return [cls(k=3), cls(k=10, importance={"age": 3.0})]

    def grouped(self, keys: KeySpans, counts: Ints, draws: Draws) -> Grouped:
        """Cells as they are cut."""
        from ammg.kernels.recoding.mondrian import mondrian_groups

        return Grouped(np.arange(len(counts)), mondrian_groups(keys, counts, self.k), counts)
