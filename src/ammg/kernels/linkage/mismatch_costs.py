"""The cost of linking a known and a released category that differ, learned from true pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST_AGREEMENT = 1e-6


def mismatch_costs(codes: Floats, shown: Floats, origin: Ints) -> Floats:
    """Twice the log-likelihood ratio of agreement among true pairs and among all pairs, to add to squared residuals."""
    real = origin >= 0
    pairs = codes[origin[real]], shown[real]
    seen = ~np.isnan(pairs[0] + pairs[1])
    m = (((pairs[0] == pairs[1]) & seen).sum(axis=0) + 0.5) / (seen.sum(axis=0) + 1.0)
    u = np.array([_chance(a, b) for a, b in zip(codes.T, shown.T, strict=True)])
    m, u = np.clip(m, LEAST_AGREEMENT, 1 - LEAST_AGREEMENT), np.clip(u, LEAST_AGREEMENT, 1 - LEAST_AGREEMENT)
    return np.asarray(np.maximum(2 * (np.log(m / u) - np.log1p(-m) + np.log1p(-u)), 0.0))


def _chance(codes: Floats, shown: Floats) -> float:
    """The probability that a random pair agrees."""
    sides = [side[~np.isnan(side)].astype(np.int64) for side in (codes, shown)]
    size = 1 + max((int(side.max(initial=0)) for side in sides), default=0)
    shares = [np.bincount(side, minlength=size) / max(len(side), 1) for side in sides]
    return float(shares[0] @ shares[1])
