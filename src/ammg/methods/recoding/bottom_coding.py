"""Bottom coding."""

from __future__ import annotations

from typing import ClassVar

from ammg.methods.recoding.tails import TailCoding


class BottomCoding(TailCoding):
    """Replace values below a threshold by the threshold, or by their mean or median.

    With the mean the total is kept. The smallest values become equal; the shape of the tail is lost. An intruder codes
    the known values the same way. Values outside the tail are released unchanged and can identify people; only people
    in the tail share a value. Source: Hundepool et al. (2012), section 3.3.2.
    """

    sign: ClassVar[float] = -1.0
