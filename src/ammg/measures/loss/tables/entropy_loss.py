"""How uncertain the release leaves each category."""

from __future__ import annotations

from typing import ClassVar

from ammg.kernels.loss.tables import conditional_entropy
from ammg.measures.loss.tables.comparison import TableComparison
from ammg.measures.loss.tables.table_loss import TransitionLoss


class EntropyLoss(TransitionLoss):
    """Bits lost per cell: the entropy of the original category given the released one.

    It suits PRAM and recoding alike: 0 if the released value determines the original one, the attribute's whole entropy
    if it says nothing about it. It is computed from the records of this file, not from the planned transition matrix.
    Source: Kooiman, Willenborg and Gouweleeuw (1997), PRAM.
    """

    also_called: ClassVar[tuple[str, ...]] = ("PramEntropy",)

    def of_attribute(self, tables: TableComparison, name: str) -> float | None:
        """The conditional entropy."""
        observed = tables.transition(name).observed
        return conditional_entropy(observed) if observed.sum() else None
