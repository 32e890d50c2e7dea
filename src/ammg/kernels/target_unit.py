"""The probability that a target unit is a given record of the file, or is not in the file (Truta et al. 2003, 4.10)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def link_probability(ratio: Floats, ratio_sum: Floats, inclusion: Floats | float, records: int) -> Floats:
    """P(Id(Y_j) = I(Ext_i)) for probability ratios r_ij, their sums over the file, inclusion probabilities π and t.

    A target that is surely in the file (π = 1) and agrees with no record is linked to none: the probability is 0.
    """
    share = np.asarray(inclusion) / records
    return _over(share * ratio, share * ratio_sum + (1 - np.asarray(inclusion)))


def absence_probability(ratio_sum: Floats, inclusion: Floats | float, records: int) -> Floats:
    """P(target not in the file): what is left of 1 after the probabilities of all records."""
    absent = 1 - np.asarray(inclusion)
    return _over(absent, np.asarray(inclusion) / records * ratio_sum + absent)


def _over(numerator: Floats, denominator: Floats) -> Floats:
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    quotient: Floats = np.zeros(denominator.shape)
    np.divide(numerator, denominator, out=quotient, where=denominator > 0)
    return quotient
