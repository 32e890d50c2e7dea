"""Group records by their pattern of missing values, so that those with the same pattern are compared at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def missing_patterns(codes: NDArray[np.int32]) -> list[tuple[NDArray[np.bool_], NDArray[np.int64]]]:
    """Each occurring combination of missing columns (-1), and the positions of its rows."""
    if not codes.shape[1] or not (codes < 0).any():
        return [(np.zeros(codes.shape[1], dtype=bool), np.arange(len(codes)))]
    patterns, number = np.unique(codes < 0, axis=0, return_inverse=True)
    return [(pattern, np.flatnonzero(number.ravel() == place)) for place, pattern in enumerate(patterns)]
