"""Risk of sample uniques when key values were changed: misclassification-adjusted risk (Shlomo and Skinner 2010).

M[k, j] is the probability that a unit whose true cell is j is shown in cell k. When the keys were changed independently
of each other, M is a product over keys: it is applied axis by axis and never formed for the whole table.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_NEGLIGIBLE = 1e-12
_MOST_TERMS = 5_000

Matrices = Sequence[NDArray[np.float64] | None]


def misclassified_risk(population: NDArray[np.float64], matrices: Matrices, fraction: float) -> NDArray[np.float64]:
    """Probability that a unique of the changed sample, shown in cell k, is linked to the right unit of the population.

    r_k = [M_kk / (1 - π M_kk)] / Σ_j F_j M_kj / (1 - π M_kj). With 1 / (1 - π M) = Σ (π M)^i every term is a product
    over keys again; what the cell k itself adds is known in closed form, so that only changes need the series.

    Args:
        population: F, the true population counts, one axis per key.
        matrices: M of each key (columns add up to 1: the transpose of a PRAM matrix); None for a key left as it was.
        fraction: Sampling fraction π.

    Returns:
        r_k of every cell; 0 where F_k or M_kk is 0: then nobody shown there is really there.
    """
    _check(population, matrices)
    if not 0 <= fraction <= 1:
        raise ValueError(f"The sampling fraction lies in [0, 1]; it is {fraction}.")
    stay = _stay(population.shape, matrices)
    others = np.zeros(population.shape)
    for power in range(1, _MOST_TERMS):
        term = _apply(population, matrices, power) - population * stay**power
        others += fraction ** (power - 1) * np.maximum(term, 0.0)
        if fraction**power * float(term.max(initial=0.0)) <= _NEGLIGIBLE * max(1.0, float(population.max(initial=0.0))):
            break
    return _divide(stay, population * stay + (1.0 - fraction * stay) * others, population)


def approximate_misclassified_risk(population: NDArray[np.float64], matrices: Matrices) -> NDArray[np.float64]:
    """The same for a small sampling fraction: r_k = M_kk / Σ_j F_j M_kj."""
    _check(population, matrices)
    return _divide(_stay(population.shape, matrices), _apply(population, matrices, 1), population)


def stay_probability(codes: Sequence[NDArray[np.int32]], matrices: Matrices) -> NDArray[np.float64]:
    """M_kk of each record's shown cell: the chance that its keys are the true ones, given that they were these.

    Times E(1/F̃ | f̃ = 1) of a log-linear model of the *changed* sample this is the risk of a unique when the population
    is not known. A missing code stays as it is.
    """
    probability = np.ones(codes[0].size)
    for column, matrix in zip(codes, matrices, strict=True):
        if matrix is not None:
            probability *= np.where(column >= 0, np.diagonal(matrix)[column], 1.0)
    return probability


def _stay(shape: tuple[int, ...], matrices: Matrices) -> NDArray[np.float64]:
    stay = np.ones(shape)
    for axis, matrix in enumerate(matrices):
        if matrix is not None:
            stay *= np.diagonal(matrix).reshape([-1 if other == axis else 1 for other in range(len(shape))])
    return stay


def _apply(population: NDArray[np.float64], matrices: Matrices, power: int) -> NDArray[np.float64]:
    """Σ_j F_j M_kj^power for every k, one key after the other."""
    shown = population
    for axis, matrix in enumerate(matrices):
        if matrix is not None:
            shown = np.moveaxis(np.tensordot(matrix**power, shown, axes=(1, axis)), 0, axis)
    return shown


def _divide(
    numerator: NDArray[np.float64], denominator: NDArray[np.float64], population: NDArray[np.float64]
) -> NDArray[np.float64]:
    possible = (population > 0) & (denominator > 0)
    return np.divide(numerator, denominator, out=np.zeros_like(denominator), where=possible)


def _check(population: NDArray[np.float64], matrices: Matrices) -> None:
    if len(matrices) != population.ndim:
        raise ValueError(f"{population.ndim} keys came with {len(matrices)} matrices.")
    for axis, (matrix, size) in enumerate(zip(matrices, population.shape, strict=True)):
        if matrix is None:
            continue
        if matrix.shape != (size, size):
            raise ValueError(f"Key {axis} has {size} categories; its matrix has shape {matrix.shape}.")
        if np.any(matrix < 0) or not np.allclose(matrix.sum(axis=0), 1.0):
            raise ValueError(f"The columns of the matrix of key {axis} are not probabilities that add up to 1.")
