"""Models that analysts fit, their confidence intervals, and the overlap of two intervals."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_STEPS = 50
_FLAT = 1e-6  # least half width of an interval, in units of its estimate's scale


class Fit(NamedTuple):
    """Coefficients and standard errors; if the data do not determine the coefficients, the shortest solution."""

    coefficients: Floats
    errors: Floats


def linear(features: Floats, response: Floats) -> Fit:
    """Ordinary least squares."""
    inverse = np.linalg.pinv(features.T @ features, rcond=1e-10, hermitian=True)
    coefficients = inverse @ (features.T @ response)
    freedom = max(1, len(response) - features.shape[1])
    variance = float(np.square(response - features @ coefficients).sum()) / freedom
    return Fit(coefficients, np.sqrt(np.maximum(variance * np.diag(inverse), 0.0)))


def logistic(features: Floats, response: Floats, ridge: float = 1e-6) -> Fit:
    """Logistic regression by Newton's method; a tiny ridge keeps separable data finite."""
    coefficients = np.zeros(features.shape[1])
    penalty = ridge * np.eye(features.shape[1])
    information = penalty
    for _ in range(_STEPS):
        chance = probabilities(features, coefficients)
        weight = np.maximum(chance * (1 - chance), 1e-10)
        information = (features * weight[:, None]).T @ features + penalty
        gradient = features.T @ (response - chance) - ridge * coefficients
        step = np.linalg.pinv(information, rcond=1e-12, hermitian=True) @ gradient
        step *= min(1.0, 5.0 / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        coefficients = coefficients + step
        if np.abs(step).max(initial=0.0) < 1e-10:
            break
    inverse = np.linalg.pinv(information, rcond=1e-12, hermitian=True)
    return Fit(coefficients, np.sqrt(np.maximum(np.diag(inverse), 0.0)))


def probabilities(features: Floats, coefficients: Floats) -> Floats:
    """The probabilities of a logistic model."""
    return np.asarray(1 / (1 + np.exp(-np.clip(features @ coefficients, -35, 35))))


def ridge_predictions(features: Floats, response: Floats, others: Floats, ridge: float = 1.0) -> Floats:
    """Predictions for other records by ridge regression; the first feature is the constant and is not shrunk."""
    penalty = ridge * np.eye(features.shape[1])
    penalty[0, 0] = 1e-9
    coefficients = np.linalg.solve(features.T @ features + penalty, features.T @ response)
    return np.asarray(others @ coefficients)


def interval_overlap(low: Floats, high: Floats, masked_low: Floats, masked_high: Floats) -> Floats:
    """The mean share of two intervals that overlaps, 0 if they are disjoint.

    Karr, Kohnen, Oganian, Reiter and Sanil (2006). An interval is at least a millionth of its location wide, so that
    estimates without error can be compared too.
    """
    floor = _FLAT * np.maximum(np.abs(low), np.abs(high)) + 1e-300
    low, high, masked_low, masked_high = low - floor, high + floor, masked_low - floor, masked_high + floor
    common = np.minimum(high, masked_high) - np.maximum(low, masked_low)
    share = (common / (high - low) + common / (masked_high - masked_low)) / 2
    return np.clip(share, 0.0, 1.0)
