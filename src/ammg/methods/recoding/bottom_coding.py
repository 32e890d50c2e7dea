"""Bottom coding."""

from __future__ import annotations

from typing import ClassVar

from ammg.methods.recoding.tails import TailCoding


class BottomCoding(TailCoding):
    """Replace values below a threshold by the threshold, or by their mean or median.

    With the mean the total is kept. The smallest values become alike; the tail's shape is lost.
    Source: Hundepool et al. (2012), section 3.3.2.
    """

    sign: ClassVar[float] = -1.0
