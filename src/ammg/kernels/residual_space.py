"""The space in which an intruder who has learned how a mask moves records looks for the nearest one.

Whatever was composed to make the release, true pairs show it: the best linear prediction of masked from original
values, and the covariance of what is left. Mahalanobis distance to the predicted record under that covariance gives
sure columns their weight and noisy ones none. A worst case, since the intruder would need true pairs to learn from
(Torra et al. 2006; Abril, Navarro-Arribas and Torra 2012).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.spaces import Space, standardised

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST_SPREAD = 1e-6  # of a standard deviation: a column that did not change is sure, not infinitely sure


def residual_space(original: Floats, masked: Floats, origin: Ints) -> Space:
    """Predicted and masked records in coordinates where residuals of true pairs are white.

    Missing values count as the mean of their original column, and are predicted as such.
    """
    start = standardised(original, masked)
    before, after = np.nan_to_num(start.original, nan=0.0), np.nan_to_num(start.masked, nan=0.0)
    real = origin >= 0
    if not real.any() or not before.shape[1]:
        return Space(before, after, None)
    design = np.column_stack([np.ones(len(before)), before])
    pairs = design[origin[real]]
    coefficients = np.linalg.lstsq(pairs, after[real], rcond=None)[0]
    residual = after[real] - pairs @ coefficients
    covariance = residual.T @ residual / max(int(real.sum()) - 1, 1)
    values, vectors = np.linalg.eigh(covariance)
    rotation = vectors / np.sqrt(np.maximum(values, 0.0) + LEAST_SPREAD**2)
    return Space(design @ coefficients @ rotation, after @ rotation, None)
