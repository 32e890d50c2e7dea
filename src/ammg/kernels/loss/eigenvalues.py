"""How far the eigenvalues of two symmetric matrices are apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NO_EIGENVALUE = 1e-9
"""Eigenvalues below this share of the greatest are rounding: no other is compared with them."""


def eigenvalue_entries(original: Floats, masked: Floats) -> Floats:
    """Relative change of each eigenvalue in falling order; NaN where the original has none to speak of."""
    before, after = (np.sort(np.linalg.eigvalsh(matrix))[::-1] for matrix in (original, masked))
    floor = NO_EIGENVALUE * max(float(before[0]), 0.0)
    return np.asarray(np.abs(before - after) / np.where(before > floor, before, np.nan))
