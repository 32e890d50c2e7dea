"""Minimal, weighted and maximal disclosure risk from the sizes of key clusters.

Truta, Fotouhi and Barth-Jones (2003), Disclosure Risk Measures for Microdata, SSDBM.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ClusterRisk:
    """DRmin <= DRW <= DRmax: unique records only, clusters weighted by size, every cluster at 1 / size."""

    minimal: float
    weighted: float
    maximal: float


def cluster_risk(sizes: NDArray[np.int64], weights: Sequence[float] = (1.0,)) -> ClusterRisk:
    """Disclosure risk of a file from the cluster size of each record.

    DRmin = n_1 / n, DRmax = (1/n) sum_k n_k / k and DRW = sum_k w_k n_k / k / (w_1 n), with n_k the records in
    clusters of size k.

    Args:
        sizes: How many records share the keys of each record: in the masked file, or in the initial file where the
            masked one is a sample of it.
        weights: w_1 >= w_2 >= ... >= 0, the weights of clusters of size 1, 2, ...; larger sizes have weight zero.
    """
    w = np.asarray(weights, np.float64)
    if w.size == 0 or w[0] <= 0 or np.any(w < 0) or np.any(np.diff(w) > 0):
        raise ValueError(f"Weights must start above zero and not increase; they are {list(weights)}.")
    n = sizes.size
    if n == 0:
        return ClusterRisk(0.0, 0.0, 0.0)
    share = 1.0 / sizes
    say = np.where(sizes <= w.size, w[np.minimum(sizes, w.size) - 1], 0.0) / w[0]
    return ClusterRisk(
        minimal=float(np.count_nonzero(sizes == 1) / n),
        weighted=float(np.sum(say * share) / n),
        maximal=float(np.sum(share) / n),
    )
