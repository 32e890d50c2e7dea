"""s1: the mean of IL1 to IL5."""

from __future__ import annotations

from typing import ClassVar

from ammg.measures.loss.numbers.moment_loss import MomentScore


class S1(MomentScore):
    """Mean of IL1 to IL5.

    Source: Yancey, Winkler and Creecy (2002), section 2.4.
    """

    parts: ClassVar[tuple[str, ...]] = ("il1", "il2", "il3", "il4", "il5")
