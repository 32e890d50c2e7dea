"""Sscore: re-identification and the mean of IL1s, IL2, IL4 and IL5."""

from __future__ import annotations

from typing import ClassVar

from ammg.measures.loss.scores.classical import ClassicalScore


class Sscore(ClassicalScore):
    """Fifty times the sum of s2 and the share of re-identified records.

    Source: Yancey, Winkler and Creecy (2002), section 2.4.
    """

    loss: ClassVar[str] = "s2"
