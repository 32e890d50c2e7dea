"""Mondrian."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ammg.draws import Draws
from ammg.methods.recoding.joined_groups import Grouped
from ammg.methods.recoding.local_classes import LocalClassMethod

if TYPE_CHECKING:
    from ammg.kernels.recoding.key_spans import KeySpans

Ints = NDArray[np.int64]


class Mondrian(LocalClassMethod):
    """Split the records at medians of key variables while groups keep k records; release the range of each group.

    Fast and deterministic: equal records get equal values. `LocalRecoding` loses about half as much. Every released
    value is true, if less exact; differences within a group are lost. An intruder looks for records whose intervals and
    classes contain the known keys. Linkage re-identifies at most 1/k of the people; but a confidential value that a
    whole group shares is disclosed without linkage, and attributes beyond the keys are not protected. Source: LeFevre,
    DeWitt and Ramakrishnan (2006), strict multidimensional partitioning, with each group's own bounds.
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
