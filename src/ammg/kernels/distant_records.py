"""The records far from the others, which are the easiest to recognise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.columns import Profile, pieces, profile

Floats = NDArray[np.float64]


def most_distant(original: Floats, share: float = 0.05) -> NDArray[np.bool_]:
    """Mark the share of records with the largest norm after standardisation (Mateo-Sanz et al. 2004, section 4).

    Rounded up; ties go to the first records. Missing values are left out and the norm is scaled up for them.
    """
    columns = list(original.T)
    return farthest(columns, [profile(column) for column in columns], share)


def farthest(columns: Sequence[Floats], profiles: Sequence[Profile], share: float) -> NDArray[np.bool_]:
    """The same from single columns and their profiles."""
    n = len(columns[0])
    varying = [(x, found) for x, found in zip(columns, profiles, strict=True) if found.greatest > found.least]
    norm, missing = np.zeros(n), np.zeros(n)
    for column, found in varying:
        for part in pieces(n):
            away = np.subtract(column[part], found.mean)
            away /= found.sd
            np.square(away, out=away)
            if np.isnan(away.sum()):
                gaps = np.isnan(away)
                missing[part] += gaps
                away[gaps] = 0.0
            norm[part] += away
    norm *= len(varying) / np.maximum(len(varying) - missing, 1)
    count = int(np.ceil(round(share * n, 9)))  # 0.05 · 20 is one record, despite floating-point error
    if not count:
        return np.zeros(n, dtype=bool)
    least = np.partition(norm, n - count)[n - count]
    marked = np.asarray(norm > least)
    ties = np.flatnonzero(norm == least)
    marked[ties[: count - int(np.count_nonzero(marked))]] = True
    return marked
