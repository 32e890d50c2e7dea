"""s0: the mean of IL2, IL3, IL4 and IL5."""

from __future__ import annotations

from typing import ClassVar

from ammg.measures.loss.numbers.moment_loss import MomentScore


class S0(MomentScore):
    """Mean of IL2 to IL5: information loss in means, variances, covariances and correlations.

    Source: Yancey, Winkler and Creecy (2002), section 2.4.
    """

    parts: ClassVar[tuple[str, ...]] = ("il2", "il3", "il4", "il5")
