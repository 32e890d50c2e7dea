"""Risk of sample uniques after changes of key values: misclassification-adjusted risk (Shlomo and Skinner 2010).

M[k, j] is the probability that a unit whose true cell is j is released in cell k. If the keys were changed
independently of each other, M is a product over keys: it is applied axis by axis and never formed for the whole table.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_NEGLIGIBLE = 1e-12
_MOST_TERMS = 5_000

Matrices = Sequence[NDArray[np.float64] | None]


def misclassified_risk(population: NDArray[np.float64], matrices: Matrices, fraction: float) -> NDArray[np.float64]:
    """Probability that a unique of the changed sample, released in cell k, is linked to its unit in the population.

    r_k = [M_kk / (1 - π M_kk)] / Σ_j F_j M_kj / (1 - π M_kj). With 1 / (1 - π M) = Σ (π M)^i, every term is again a
    product over keys; the contribution of cell k itself has a closed form, so that only changes need the series.

    Args:
        population: F, the true population counts, one axis per key.
        matrices: M of each key (columns sum to 1: the transpose of a PRAM matrix); None for an unchanged key.
        fraction: Sampling fraction π.

    Returns:
        r_k of every cell; 0 if F_k or M_kk is 0: then nobody released there really belongs there.
    """
    _check(population, matrices)
    if not 0 <= fraction <= 1:
        raise ValueError(f"The sampling fraction must lie in [0, 1]; it is {fraction}.")
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
    """M_kk of each record's released cell: the probability that true keys with these values stay unchanged.

    Times E(1/F̃ | f̃ = 1) of a log-linear model of the *changed* sample, this is the risk of a unique if the population
    is unknown. A missing code counts as unchanged.
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
        raise ValueError(f"There are {population.ndim} keys but {len(matrices)} matrices.")
    for axis, (matrix, size) in enumerate(zip(matrices, population.shape, strict=True)):
        if matrix is None:
            continue
        if matrix.shape != (size, size):
            raise ValueError(f"Key {axis} has {size} categories; its matrix has shape {matrix.shape}.")
        if np.any(matrix < 0) or not np.allclose(matrix.sum(axis=0), 1.0):
            raise ValueError(f"The columns of the matrix of key {axis} are not probabilities that sum to 1.")
