"""Ascore: re-identification and the mean of IL2 to IL5."""

from __future__ import annotations

from typing import ClassVar

from ammg.measures.loss.scores.classical import ClassicalScore


class Ascore(ClassicalScore):
    """Fifty times the sum of s0 and the share of re-identified records.

    Source: Yancey, Winkler and Creecy (2002), section 2.4.
    """

    loss: ClassVar[str] = "s0"
