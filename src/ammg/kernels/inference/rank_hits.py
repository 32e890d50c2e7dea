"""The pass over a sorted column that finds which rank intervals contain the original values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@jit
def hit_ranks(original: Floats, ordered: Floats, order: Ints, reach: Floats, shares: Floats) -> None:
    """Write the share of the intervals around each released value that contain the original.

    `ordered` are the released values in their `order`, `reach` the ascending distances in ranks.
    """
    n = len(order)
    start = 0
    while start < n:
        stop = start + 1
        while stop < n and ordered[stop] == ordered[start]:
            stop += 1
        for k in range(start, stop):
            value = original[order[k]]
            if value != value:
                continue
            hits = len(reach)
            for h in reach:
                low = ordered[max(0, int(np.ceil(start - h)))]
                high = ordered[min(n - 1, int(np.floor(stop - 1 + h)))]
                if low <= value <= high:
                    break
                hits -= 1
            shares[order[k]] = hits / len(reach)
        start = stop
