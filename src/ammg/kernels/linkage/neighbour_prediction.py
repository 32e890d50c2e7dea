"""Predicted masked values of each person, for any function of one original column.

A mask may fold, mirror or otherwise bend a column. A linear prediction fails then, but the mean masked value of people
with nearly the same original value works.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NEAR = 2  # people on either side


def neighbour_prediction(original: Floats, masked: Floats, origin: Ints) -> Floats:
    """People × masked columns: the mean over people with the nearest values, in the column that predicts best.

    Masked records with origin -1 are not used for learning, and nobody is predicted from their own record. People with
    equal values get the same prediction, apart from their own record. Missing values count as one value, and as zero in
    the masked file.
    """
    real = origin >= 0
    sources = np.where(np.isnan(original), -np.inf, original)
    taught, shown = sources[origin[real]], np.nan_to_num(masked[real], nan=0.0)
    predicted = np.zeros((len(original), masked.shape[1]))
    if not len(shown):
        return predicted
    least = np.full(masked.shape[1], np.inf)
    for j in range(original.shape[1]):
        order = np.argsort(taught[:, j], kind="stable")
        values = taught[order, j]
        sums = np.concatenate([np.zeros((1, shown.shape[1])), np.cumsum(shown[order], axis=0)])
        own, alone = _around(values, values, sums, shown[order])
        missed = np.where(alone, np.square(shown[order]), np.square(own - shown[order])).sum(axis=0)
        better = missed < least * (1 - 1e-9)
        if not better.any():
            continue
        everybody, _ = _around(values, sources[:, j], sums, None)
        everybody[origin[real][order]] = own
        predicted[:, better] = everybody[:, better]
        least = np.where(better, missed, least)
    return predicted


def _around(values: Floats, at: Floats, sums: Floats, without: Floats | None) -> tuple[Floats, NDArray[np.bool_]]:
    """The mean masked value of people with equal values and of a few on either side, optionally without oneself.

    The second result says where nobody is left.
    """
    low, high = np.searchsorted(values, at, "left"), np.searchsorted(values, at, "right")
    low, high = np.maximum(low - NEAR, 0), np.minimum(high + NEAR, len(values))
    total, count = sums[high] - sums[low], (high - low)[:, None].astype(np.float64)
    if without is not None:
        total, count = total - without, count - 1
    return total / np.maximum(count, 1.0), count < 1
