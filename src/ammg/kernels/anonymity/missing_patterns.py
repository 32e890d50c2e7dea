"""Group records by their pattern of missing values, so that those with the same pattern are compared at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.orders import equal_rows, first_rows


def missing_patterns(codes: NDArray[np.int32]) -> list[tuple[NDArray[np.bool_], NDArray[np.int64]]]:
    """Each occurring combination of missing columns (-1), and the positions of its rows."""
    if not codes.shape[1] or not (codes < 0).any():
        return [(np.zeros(codes.shape[1], dtype=bool), np.arange(len(codes)))]
    missing = codes < 0
    number = equal_rows(list(missing.T.astype(np.int8)), len(codes))
    rows = np.split(np.argsort(number, kind="stable"), np.cumsum(np.bincount(number))[:-1])
    return list(zip(missing[first_rows(number)], rows, strict=True))
