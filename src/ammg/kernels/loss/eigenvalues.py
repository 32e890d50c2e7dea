"""Distance between the eigenvalues of two symmetric matrices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NO_EIGENVALUE = 1e-9
"""Eigenvalues below this share of the largest are rounding errors and not used for comparison."""


def eigenvalue_entries(original: Floats, masked: Floats) -> Floats:
    """Relative change of each eigenvalue in descending order; NaN if the original one is negligible."""
    before, after = (np.sort(np.linalg.eigvalsh(matrix))[::-1] for matrix in (original, masked))
    floor = NO_EIGENVALUE * max(float(before[0]), 0.0)
    return np.asarray(np.abs(before - after) / np.where(before > floor, before, np.nan))
