"""Local recoding."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ammg.draws import Draws
from ammg.methods.recoding.joined_groups import Grouped
from ammg.methods.recoding.local_classes import LocalClassMethod
from ammg.params import param

if TYPE_CHECKING:
    from ammg.kernels.recoding.key_spans import KeySpans

Ints = NDArray[np.int64]


class LocalRecoding(LocalClassMethod):
    """Recode each record to the smallest classes and intervals that cover its group of k to 2k-1 similar records.

    Records differ in how much is recoded: records in common combinations keep their values. Groups come from the
    microaggregation search, or from Mondrian if it loses less, and are improved for the loss of intervals and classes.
    Every released value is true, if less exact; differences within a group are lost. An intruder looks for records
    whose intervals and classes contain the known keys. Linkage re-identifies at most 1/k of the people; but a
    confidential value that a whole group shares is disclosed without linkage, and attributes beyond the keys are not
    protected. Source: Byun et al. (2007) for groups of similar records; Xu et al. (2006) for the loss, normalised
    certainty.
    """

    also_called: ClassVar[tuple[str, ...]] = ("LocalGeneralisation", "LocalGeneralization")

    moves: int | None = param(
        None, "Moves of the search; by default as many as fit into a few seconds.", ge=0, search=[20_000]
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """A short search, and one key that counts more."""
        return [cls(k=3, moves=2_000), cls(k=5, moves=500, importance={"age": 3.0})]

    def grouped(self, keys: KeySpans, counts: Ints, draws: Draws) -> Grouped:
        """The search's groups; of a combination with many records, those that others may need."""
        from ammg.kernels.recoding.key_spans import taken
        from ammg.kernels.recoding.similar_groups import similar_groups

        aside = np.where(counts >= 3 * self.k, counts - 2 * self.k, 0)
        cells = np.repeat(np.arange(len(counts)), counts - aside)
        group = similar_groups(taken(keys, cells), self.k, draws.generator("groups"), self.moves)
        alone = np.flatnonzero(aside)
        pairs, many = np.unique(np.stack([cells, group], axis=1), axis=0, return_counts=True)
        own = int(group.max(initial=-1)) + 1 + np.arange(alone.size)
        found = Grouped(
            np.concatenate([pairs[:, 0], alone]),
            np.concatenate([pairs[:, 1], own]),
            np.concatenate([many, aside[alone]]),
        )
        order = np.argsort(found.cells, kind="stable")
        return Grouped(found.cells[order], found.groups[order], found.counts[order])
