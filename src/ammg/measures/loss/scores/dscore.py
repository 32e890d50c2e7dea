"""Dscore: re-identification and the mean of IL1 to IL5."""

from __future__ import annotations

from typing import ClassVar

from ammg.measures.loss.scores.classical import ClassicalScore


class Dscore(ClassicalScore):
    """Fifty times the sum of s1 and the share of re-identified records.

    Source: Yancey, Winkler and Creecy (2002), section 2.4.
    """

    loss: ClassVar[str] = "s1"
