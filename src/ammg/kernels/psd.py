"""Square roots of covariance matrices that may be singular, and the nearest covariance to an invalid one.

Real files contain exact identities (a total and its parts), so their covariance is singular and a plain Cholesky
factor does not exist. Every rank is determined on the correlation matrix, independent of units of measurement, and
every factor is a scaled factor of that matrix, so that results keep the identities of the data.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Root = Literal["eig", "sym", "chol", "corr-sym"]

RANK_TOLERANCE = 1e-12
"""Eigenvalues and pivots of a correlation matrix below this share of the largest count as zero."""

_IN_RELATION = 1e-6  # share of a column in the directions without variance

INDEFINITE = 1e-8
"""A negative eigenvalue beyond this share of the largest is not a rounding error."""


def psd_factor(sigma: Floats, kind: Root = "eig") -> Floats:
    """Factor a positive semi-definite matrix: the square matrix A with A A' = sigma.

    `eig` is V sqrt(L), eigenvalues in descending order, zero columns last (the root behind Table 1 of Yancey, Winkler
    and Creecy 2002); `sym` the symmetric root; `chol` the lower triangle, which skips the pivots of dependent
    columns; `corr-sym` the symmetric root of the correlations times the standard deviations, which treats all
    columns alike whatever their units.

    Raises:
        ValueError: `sigma` is not a symmetric finite square matrix, or has a negative eigenvalue (`nearest_psd`).
    """
    scale, correlation = _standardise(sigma)
    if kind == "chol":
        _check_definite(np.linalg.eigvalsh(correlation))
        return scale[:, None] * _cholesky(correlation)
    values, vectors = np.linalg.eigh(correlation)
    _check_definite(values)
    kept = values > RANK_TOLERANCE * max(float(values[-1]), 0.0)
    root = vectors[:, kept] * np.sqrt(values[kept])
    if kind == "corr-sym":
        return np.asarray(scale[:, None] * (root @ vectors[:, kept].T))
    # B B' = sigma. Rotating B by the right singular vectors gives the roots of sigma itself without loss: columns in
    # small units stay as precise as those in large ones, which an eigendecomposition of sigma does not ensure.
    scaled = scale[:, None] * root
    left, _, right = np.linalg.svd(scaled, full_matrices=False)
    if kind == "sym":
        return np.asarray(scaled @ right.T @ left.T)
    if kind == "eig":
        factor = _fix_signs(scaled @ right.T)
        return np.pad(factor, ((0, 0), (0, len(sigma) - factor.shape[1])))
    raise ValueError(f"Unknown root {kind!r}. Choose 'eig', 'sym', 'chol' or 'corr-sym'.")


def psd_rank(sigma: Floats) -> int:
    """Count the dimensions in which a covariance matrix varies, determined on its correlation matrix."""
    values = np.linalg.eigvalsh(_standardise(sigma)[1])
    return int(np.count_nonzero(values > RANK_TOLERANCE * max(float(values[-1]), 0.0))) if len(values) else 0


def dependent_columns(sigma: Floats) -> NDArray[np.bool_]:
    """Which columns are part of a linear relation, such as a total and its parts; constant columns are not."""
    if not len(sigma):
        return np.zeros(0, np.bool_)
    values, vectors = np.linalg.eigh(_standardise(sigma)[1])
    null = values <= RANK_TOLERANCE * max(float(values[-1]), 0.0)
    shares = (vectors[:, null] ** 2).sum(axis=1)
    return np.asarray((shares > _IN_RELATION) & (np.diag(sigma) > 0))


def nearest_psd(sigma: Floats, tolerance: float = 1e-10, most_rounds: int = 500) -> Floats:
    """The covariance matrix with the same variances nearest to a symmetric one, such as a pairwise-complete covariance.

    The nearest correlation matrix by alternating projections with Dykstra's correction (Higham 2002), scaled back.
    A matrix that is already positive semi-definite is returned unchanged.
    """
    scale, correlation = _standardise(sigma)
    varies = scale > 0
    inner = correlation[np.ix_(varies, varies)]
    if not len(inner) or np.linalg.eigvalsh(inner)[0] >= -RANK_TOLERANCE * len(inner):
        return np.array(sigma, dtype=np.float64)
    target = np.clip(inner, -1.0, 1.0)
    current, correction = target, np.zeros_like(target)
    for _ in range(most_rounds):
        shifted = current - correction
        definite = _clip_eigenvalues(shifted)
        correction = definite - shifted
        previous, current = current, definite.copy()
        np.fill_diagonal(current, 1.0)
        if np.abs(current - previous).max() <= tolerance:
            break
    definite = _clip_eigenvalues(current)
    unit = np.sqrt(np.diag(definite))
    result = np.zeros_like(correlation)
    result[np.ix_(varies, varies)] = definite / np.outer(unit, unit)
    return result * np.outer(scale, scale)


def _standardise(sigma: Floats) -> tuple[Floats, Floats]:
    """Split a covariance into standard deviations and correlations; a constant column has neither."""
    if sigma.ndim != 2 or sigma.shape[0] != sigma.shape[1]:
        raise ValueError(f"A covariance matrix must be square; this one has shape {sigma.shape}.")
    variances = np.diag(sigma)
    if not np.isfinite(sigma).all() or (variances < 0).any():
        raise ValueError("A covariance matrix must have finite entries and no negative variance.")
    scale = np.sqrt(variances)
    inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
    correlation = sigma * np.outer(inverse, inverse)
    if np.abs(correlation - correlation.T).max(initial=0.0) > INDEFINITE:
        raise ValueError("A covariance matrix must be symmetric.")
    return scale, (correlation + correlation.T) / 2


def _check_definite(values: NDArray[np.floating[Any]]) -> None:
    if len(values) and values[0] < -INDEFINITE * max(float(values[-1]), 0.0):
        raise ValueError(
            f"The covariance matrix has a negative eigenvalue ({values[0]:.3g} of its correlations): use nearest_psd."
        )


def _cholesky(correlation: Floats) -> Floats:
    """Factor column by column; a column determined by earlier ones gets no pivot."""
    size = len(correlation)
    factor = np.zeros_like(correlation)
    tolerance = RANK_TOLERANCE * max(size, 1)
    for j in range(size):
        remainder = correlation[j:, j] - factor[j:, :j] @ factor[j, :j]
        if remainder[0] > tolerance:
            factor[j:, j] = remainder / np.sqrt(remainder[0])
    return factor


def _clip_eigenvalues(matrix: Floats) -> Floats:
    values, vectors = np.linalg.eigh(matrix)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.asarray(root @ root.T)


def _fix_signs(factor: Floats) -> Floats:
    """Make the largest entry of each column positive: LAPACK leaves the sign open, a release must not.

    Among entries that differ only by rounding, as in columns of equal variance, the first decides.
    """
    if not factor.size:
        return factor
    size = np.abs(factor)
    first = (size >= (1.0 - 1e-6) * size.max(axis=0)).argmax(axis=0)
    return factor * np.where(np.take_along_axis(factor, first[None, :], axis=0) < 0, -1.0, 1.0)
