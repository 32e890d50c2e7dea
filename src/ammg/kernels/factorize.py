"""Numbers to codes: replace each value by its position among the sorted distinct values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.hashing import number_keys

_FIRST_CAPACITY = 1 << 10
_FEW = 2048  # values up to which numpy costs less than a kernel that would first have to be compiled


def factorize(values: NDArray[np.float64]) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Codes 0 .. L-1 in increasing order of value, -1 for NaN, and the L distinct values.

    Only the distinct values are sorted, so a column with few values costs one pass. Minus zero is zero.
    """
    values = np.asarray(values, np.float64) + 0.0  # -0.0 + 0.0 is 0.0
    if values.size <= _FEW:
        seen = ~np.isnan(values)
        codes = np.full(values.size, -1, np.int32)
        distinct, codes[seen] = np.unique(values[seen], return_inverse=True)
        return codes, distinct
    numbers, first = number_keys(values.view(np.int64), _FIRST_CAPACITY)
    distinct = values[first]
    order = np.argsort(distinct, kind="stable")  # every NaN, whatever its bits, comes last
    known = int(np.count_nonzero(~np.isnan(distinct)))
    rank = np.full(distinct.size, -1, np.int32)
    rank[order[:known]] = np.arange(known, dtype=np.int32)
    return rank[numbers], distinct[order[:known]]
