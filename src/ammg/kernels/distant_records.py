"""The records far from the others, which are the easiest to recognise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.spaces import standardised

Floats = NDArray[np.float64]


def most_distant(original: Floats, share: float = 0.05) -> NDArray[np.bool_]:
    """Mark the share of records with the largest norm after standardisation (Mateo-Sanz et al. 2004, section 4).

    Rounded up; ties go to the first records. Missing values are left out and the norm is scaled up for them.
    """
    values = standardised(original, original[:0]).original
    seen = ~np.isnan(values)
    squares = np.where(seen, values, 0.0) ** 2
    norm = squares.sum(axis=1) * values.shape[1] / np.maximum(seen.sum(axis=1), 1)
    count = int(np.ceil(round(share * len(values), 9)))  # 0.05 · 20 is one record, whatever its last digit says
    marked = np.zeros(len(values), dtype=bool)
    marked[np.argsort(-norm, kind="stable")[:count]] = True
    return marked
