"""One number for each record: the scores by which multivariate records are put in an order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def first_component(standardised: Floats) -> Floats:
    """Scores on the first principal component; its largest loading is positive."""
    centred = standardised - standardised.mean(axis=0)
    _, vectors = np.linalg.eigh(np.einsum("ni,nj->ij", centred, centred))
    loading = vectors[:, -1]
    if loading[np.argmax(np.abs(loading))] < 0:
        loading = -loading
    return np.asarray(np.einsum("nj,j->n", centred, loading), dtype=np.float64)


def sum_of_scores(standardised: Floats) -> Floats:
    """Sum of the standardised attributes."""
    return np.asarray(standardised.sum(axis=1))
