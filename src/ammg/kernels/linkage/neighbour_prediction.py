"""What masked columns are expected to show of each person, whatever function of one original column they are.

A mask may fold a column, mirror it or bend it otherwise. No line predicts that, but people with nearly the same value
do: the mean of what became of them is what to expect.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NEAR = 2  # people on either side


def neighbour_prediction(original: Floats, masked: Floats, origin: Ints) -> Floats:
    """People × masked columns: the mean of those whose value is nearest, in the column that predicts best.

    A masked record with origin -1 is not learned from, and nobody is predicted from their own record. People of one
    value are predicted alike, but for themselves. Missing values count as one value, and as zero in the masked file.
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
    """The mean of what is shown by those of equal value and by a few on either side; of others than oneself, if said.

    The second is whether nobody is left.
    """
    low, high = np.searchsorted(values, at, "left"), np.searchsorted(values, at, "right")
    low, high = np.maximum(low - NEAR, 0), np.minimum(high + NEAR, len(values))
    total, count = sums[high] - sums[low], (high - low)[:, None].astype(np.float64)
    if without is not None:
        total, count = total - without, count - 1
    return total / np.maximum(count, 1.0), count < 1
