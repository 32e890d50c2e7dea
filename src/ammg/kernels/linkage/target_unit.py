"""The probability that a target unit is a given record of the file (Truta et al. 2003, 4.10)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def link_probability(ratio: Floats, ratio_sum: Floats, inclusion: Floats | float, records: int) -> Floats:
    """P(Id(Y_j) = I(Ext_i)) for probability ratios r_ij, their sums over the file, inclusion probabilities π and t.

    A target that is certainly in the file (π = 1) but agrees with no record is not linked: the probability is 0.
    """
    share = np.asarray(inclusion) / records
    chance, whole = np.broadcast_arrays(share * ratio, share * ratio_sum + (1 - np.asarray(inclusion)))
    probability: Floats = np.zeros(whole.shape)
    np.divide(chance, whole, out=probability, where=whole > 0)
    return probability
