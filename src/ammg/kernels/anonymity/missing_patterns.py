"""Records by which of their values are missing, so that those with the same gaps can be compared at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def missing_patterns(codes: NDArray[np.int32]) -> list[tuple[NDArray[np.bool_], NDArray[np.int64]]]:
    """Each combination of missing columns (-1) that occurs among the rows, and the positions of its rows."""
    if not codes.shape[1] or not (codes < 0).any():
        return [(np.zeros(codes.shape[1], dtype=bool), np.arange(len(codes)))]
    patterns, number = np.unique(codes < 0, axis=0, return_inverse=True)
    return [(pattern, np.flatnonzero(number.ravel() == place)) for place, pattern in enumerate(patterns)]
