"""Distributions of the cell-key method's changes of counts: no bias, a given variance, no negative counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_ROUNDS = 200
_MET = 1e-12


def perturbation_law(count: int, variance: float, most: int) -> tuple[Ints, Floats]:
    """The possible changes of a count and their probabilities: the distribution of maximum entropy.

    Changes lie between -`most` and `most`, and never lead below zero; they have mean 0 and the given variance.
    Source: Marley and Leaver (2011), A method for confidentialising user-defined tables; Giessing (2016).

    Raises:
        ValueError: the variance is impossible for a count of this size.
    """
    changes = np.arange(-min(count, most), most + 1)
    if not 0 < variance < -changes[0] * changes[-1]:
        raise ValueError(f"a count of {count} cannot vary by {variance:g} with changes from {changes[0]} to {most}")
    scaled = changes / most
    moments = np.stack([scaled, scaled**2])
    target = np.array([0.0, variance / most**2])
    tilt = np.zeros(2)
    for _ in range(_ROUNDS):
        law = _tilted(tilt, moments)
        gap = moments @ law - target
        if np.abs(gap).max() < _MET:
            break
        spread = (moments * law) @ moments.T - np.outer(moments @ law, moments @ law)
        tilt = _descended(tilt, np.linalg.solve(spread, gap), moments, target)
    return changes, law


def _tilted(tilt: Floats, moments: Floats) -> Floats:
    exponent = tilt @ moments
    law = np.exp(exponent - exponent.max())
    return np.asarray(law / law.sum())


def _descended(tilt: Floats, step: Floats, moments: Floats, target: Floats) -> Floats:
    """A damped Newton step of the convex dual."""

    def dual(at: Floats) -> float:
        exponent = at @ moments
        return float(np.log(np.exp(exponent - exponent.max()).sum()) + exponent.max() - at @ target)

    now, length = dual(tilt), 1.0
    while length > 1e-10 and dual(tilt - length * step) > now + 1e-15:
        length /= 2
    return np.asarray(tilt - length * step)


def perturb_counts(counts: Ints, chances: Floats, variance: float, most: int) -> Ints:
    """The change of each count at the given quantile of its distribution; empty cells stay empty."""
    changed = np.zeros(counts.shape, dtype=np.int64)
    for size in range(1, most + 1):
        here = counts >= most if size == most else counts == size
        if here.any():
            changes, law = perturbation_law(size, variance, most)
            ends = np.cumsum(law)
            ends[-1] = 1.0
            changed[here] = changes[np.searchsorted(ends, chances[here], side="right")]
    return changed
