"""Variates of normal mixtures: noise that protects better than normal noise of the same variance.

A normal error is most often small, so masked values cluster around the original. A mixture with means away from zero
and a small variance within each component moves nearly every value (Roque 2000; Yancey, Winkler and Creecy 2002).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.psd import psd_factor

Floats = NDArray[np.float64]

FEW = 8


def mixture_means(weights: Floats, variance: float, shape: Floats | None = None) -> Floats:
    """Find component means that give the mixture mean zero and variance one.

    `shape` fixes the first K - 1 means up to a factor; by default they are equally spaced on [-1, 1], and 1 for K = 2.
    The last follows from the mean and the factor from the variance (Yancey, Winkler and Creecy 2002, appendix).
    """
    _check_weights(weights)
    if not 0 < variance < 1:
        raise ValueError(f"The variance within a component must lie between 0 and 1; it is {variance}.")
    count = len(weights)
    if shape is None:
        shape = np.ones(1) if count == 2 else np.linspace(-1.0, 1.0, count - 1)
    if len(shape) != count - 1:
        raise ValueError(f"{count} components need {count - 1} free means; there are {len(shape)}.")
    means = np.append(shape, -(weights[:-1] @ shape) / weights[-1])
    spread = float(weights @ means**2)
    if spread <= 0:
        raise ValueError("all component means are zero, so the mixture has no spread: give one that is not zero")
    return np.asarray(means * np.sqrt((1.0 - variance) / spread))


def mixture_variates(uniforms: Floats, normals: Floats, means: Floats, weights: Floats, variance: float) -> Floats:
    """Turn uniforms (which component) and normals (where in it) into mixture variates, cell by cell."""
    variates: Floats = np.sqrt(variance) * normals
    variates += np.take(means, pick_component(uniforms, weights))
    return variates


def pick_component(uniforms: Floats, weights: Floats) -> NDArray[np.intp]:
    """Choose a component for every uniform number, by the weights."""
    bounds = np.cumsum(weights)[:-1]
    if len(bounds) > FEW:
        return np.searchsorted(bounds, uniforms, side="right")
    # One comparison per component is several times faster than a search.
    component = np.zeros(uniforms.shape, dtype=np.intp)
    for bound in bounds:
        component += uniforms >= bound
    return component


def joint_mixture_means(start: Floats, weights: Floats, variances: Floats, sigma: Floats) -> Floats:
    """Solve Roque's (2000) equations for K mean vectors in closed form.

    A joint mixture draws one component per record, with covariance `variances[k]` times sigma. Its mean is zero and
    its covariance sigma if Σωθ = 0 and Σωθθ' = (1 - Σωσ) sigma. Any K x m `start` with K > m is centred, whitened and
    coloured into a solution; Roque solved a system of quadratic equations numerically.
    """
    _check_weights(weights)
    count, columns = start.shape
    if len(weights) != count or len(variances) != count:
        raise ValueError(f"{count} starting vectors need as many weights and variances.")
    if count <= columns:
        raise ValueError(f"A joint mixture in {columns} columns needs at least {columns + 1} components, not {count}.")
    within = float(weights @ variances)
    if (variances <= 0).any() or not within < 1:
        raise ValueError("The variances within components must be positive, with a weighted mean below 1.")
    centred = start - weights @ start
    values, vectors = np.linalg.eigh((centred * weights[:, None]).T @ centred)
    if values[0] <= 1e-12 * values[-1]:
        raise ValueError("The starting vectors lie in a subspace: draw others.")
    white = centred @ ((vectors / np.sqrt(values)) @ vectors.T)
    return np.asarray(np.sqrt(1.0 - within) * white @ psd_factor(sigma).T)


def _check_weights(weights: Floats) -> None:
    if len(weights) < 2:
        raise ValueError(f"a mixture needs at least two weights; there are {len(weights)}")
    for weight in weights[~(weights > 0)]:
        raise ValueError(f"weights must be positive shares; one is {weight:g}")
    total = float(weights.sum())
    if abs(total - 1.0) > 1e-9:
        raise ValueError(f"weights sum to {total:.10g}; they must sum to 1")
