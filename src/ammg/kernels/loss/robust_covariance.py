"""A covariance robust to outliers: the orthogonalised estimator of Gnanadesikan and Kettenring."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blas import one_blas_thread
from ammg.kernels.outliers import robust_axes, robust_scale

Floats = NDArray[np.float64]


def robust_covariance(values: Floats) -> Floats:
    """Estimate a covariance matrix from robust scales along robust axes; no value may be missing.

    Maronna and Zamar (2002). The matrix is positive semi-definite.
    """
    scale = robust_scale(values)
    scale = np.where(scale > 0, scale, 1.0)
    standard = values / scale
    axes = robust_axes(standard)
    with one_blas_thread():
        turned = standard @ axes
    spread = np.square(robust_scale(turned))
    back = axes * scale[:, None]
    return np.asarray((back * spread) @ back.T)
