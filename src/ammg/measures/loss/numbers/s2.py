"""s2: the mean of IL1s, IL2, IL4 and IL5."""

from __future__ import annotations

from typing import ClassVar

from ammg.measures.loss.numbers.moment_loss import MomentScore


class S2(MomentScore):
    """Mean of IL1s, IL2, IL4 and IL5: without the two losses that small denominators dominate.

    Source: Yancey, Winkler and Creecy (2002), section 2.4.
    """

    parts: ClassVar[tuple[str, ...]] = ("il1s", "il2", "il4", "il5")
