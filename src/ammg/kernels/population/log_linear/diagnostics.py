"""Compare estimated with true risk if the population is known: the 3 × 3 table of Shlomo."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BANDS = (0.1, 0.5)


def cross_bands(true: NDArray[np.float64], estimated: NDArray[np.float64]) -> NDArray[np.int64]:
    """Records by true risk (rows) and estimated risk (columns), in the bands [0, 0.1), [0.1, 0.5) and [0.5, 1]."""
    rows = np.searchsorted(BANDS, true, side="right")
    columns = np.searchsorted(BANDS, estimated, side="right")
    side = len(BANDS) + 1
    return np.bincount(rows * side + columns, minlength=side * side).reshape(side, side)


def true_risk(population: NDArray[np.float64], which: int) -> NDArray[np.float64]:
    """The true risk of sample uniques with known population frequency F: 1 if F is 1 (τ1), or 1/F (τ2)."""
    return np.where(population == 1, 1.0, 0.0) if which == 1 else 1.0 / population
