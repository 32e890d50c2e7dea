"""The probability that a target unit is a given record of the file, or is not in the file (Truta et al. 2003, 4.10)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def link_probability(ratio: Floats, ratio_sum: Floats, inclusion: Floats | float, records: int) -> Floats:
    """P(Id(Y_j) = I(Ext_i)) for probability ratios r_ij, their sums over the file, inclusion probabilities π and t."""
    share = np.asarray(inclusion) / records
    return np.asarray(share * ratio / (share * ratio_sum + (1 - np.asarray(inclusion))), np.float64)


def absence_probability(ratio_sum: Floats, inclusion: Floats | float, records: int) -> Floats:
    """P(target not in the file): what is left of 1 after the probabilities of all records."""
    absent = 1 - np.asarray(inclusion)
    return np.asarray(absent / (np.asarray(inclusion) / records * ratio_sum + absent), np.float64)
