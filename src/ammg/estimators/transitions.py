"""Estimates from a file whose categories were changed at random with published probabilities (PRAM).

Frequencies of the released file are T* with E(T*) = T P, so that T*P⁻¹ has the expectation T. A record's indicator
d* P⁻¹ has the expectation d in the same way, which gives tables and regressions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ammg.data.dictionary import match_categories
from ammg.data.native import Native
from ammg.data.published import Transition
from ammg.errors import InputError
from ammg.estimators.records import as_weights

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

ILL = 1e6
"""Condition number above which estimates carry little information."""


@dataclass(frozen=True, eq=False)
class Frequencies:
    """Estimated frequencies, those of a two-way table row by row, and the covariance of the estimates.

    The covariance reflects the random changes; the file itself is treated as fixed.
    """

    categories: tuple[Any, ...]
    counts: Floats
    covariance: Floats
    condition: float
    """Condition number of the matrix: the factor by which it amplifies errors."""

    @property
    def standard_errors(self) -> Floats:
        """Square roots of the diagonal of the covariance."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    def intervals(self, level: float = 0.95) -> Floats:
        """Lower and upper bound of each frequency by the normal approximation."""
        if not 0 < level < 1:
            raise InputError(f"The level of an interval must lie between 0 and 1; it is {level}.")
        reach = NormalDist().inv_cdf(0.5 + level / 2) * self.standard_errors
        return np.column_stack([self.counts - reach, self.counts + reach])


def original_frequencies(released: Any, transition: Transition, weights: Any = None) -> Frequencies:
    """Estimate the frequency of each category before the random changes, without bias, with covariances.

    `released` is the changed column (of polars, pandas, pyarrow or a list), `transition` what the method published
    (`masked.published`) or a `Transition` built from the description. Missing values are left out. For a step within
    groups, give the records of one group with its matrix.

    Raises:
        InputError: the matrix has no inverse, or a value is not one of its categories.
    """
    inverse, condition = _inverse(transition)
    codes, kept = _codes(released, transition)
    weight = _weights(weights, len(codes))[kept]
    size = len(transition.categories)
    counts = np.bincount(codes[kept], weight, size) @ inverse
    squares = np.bincount(codes[kept], weight**2, size) @ inverse
    return Frequencies(transition.categories, counts, _covariance(squares, transition.matrix, inverse), condition)


def original_table(
    first: Any, second: Any, transitions: Sequence[Transition | None], weights: Any = None
) -> Frequencies:
    """Estimate a two-way table of the original file; give None as the transition of an unchanged column.

    The categories are pairs, with the first column varying slowest; the covariance covers all cells. The columns must
    have been changed independently of each other.
    """
    if len(transitions) != 2:
        raise InputError(f"A two-way table needs two transitions, not {len(transitions)}: use None for no change.")
    known = [_identity(c) if t is None else t for c, t in zip((first, second), transitions, strict=True)]
    (inverse_1, condition_1), (inverse_2, condition_2) = map(_inverse, known)
    sides = [_codes(column, transition) for column, transition in zip((first, second), known, strict=True)]
    if len(sides[0][0]) != len(sides[1][0]):
        raise InputError(f"The columns have {len(sides[0][0])} and {len(sides[1][0])} records: give the same records.")
    kept = sides[0][1] & sides[1][1]
    size_2 = len(known[1].categories)
    cells = sides[0][0][kept].astype(np.int64) * size_2 + sides[1][0][kept]
    matrix = np.asarray(np.kron(known[0].matrix, known[1].matrix), dtype=np.float64)
    inverse = np.asarray(np.kron(inverse_1, inverse_2), dtype=np.float64)
    weight = _weights(weights, len(kept))[kept]
    counts = np.bincount(cells, weight, len(matrix)) @ inverse
    squares = np.bincount(cells, weight**2, len(matrix)) @ inverse
    categories = tuple((a, b) for a in known[0].categories for b in known[1].categories)
    return Frequencies(categories, counts, _covariance(squares, matrix, inverse), condition_1 * condition_2)


def indicators(released: Any, transition: Transition) -> tuple[Floats, NDArray[np.bool_]]:
    """Rows with the indicator of the original category as expectation, and which records have a value."""
    inverse, _ = _inverse(transition)
    codes, kept = _codes(released, transition)
    return inverse[np.where(kept, codes, 0)], kept


def _inverse(transition: Transition) -> tuple[Floats, float]:
    matrix = np.asarray(transition.matrix, dtype=np.float64)
    size = len(transition.categories)
    if matrix.shape != (size, size):
        raise InputError(
            f"The matrix has the shape {matrix.shape} but there are {size} categories: give one row per category."
        )
    if (matrix < 0).any() or np.abs(matrix.sum(axis=1) - 1.0).max(initial=0.0) > 1e-9:
        raise InputError("A row of the matrix does not consist of probabilities that sum to 1: correct it.")
    condition = float(np.linalg.cond(matrix)) if size else 1.0
    if not np.isfinite(condition) or condition > 1e12:
        raise InputError(
            "The matrix has no inverse: different original frequencies give the same released ones, and nothing can be "
            "estimated. Ask for a matrix with higher probabilities of keeping a category."
        )
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64), condition


def _codes(released: Any, transition: Transition) -> tuple[Codes, NDArray[np.bool_]]:
    values = released if isinstance(released, list | tuple) else _listed(released)
    distinct = list(dict.fromkeys(value for value in values if not _is_missing(value)))
    place = dict(zip(distinct, match_categories(distinct, transition.categories).tolist(), strict=True))
    for value, code in place.items():
        if code < 0:
            raise InputError(f"The column has the value '{value}', which is not a category of the matrix: add it.")
    codes = np.array([-1 if _is_missing(value) else place[value] for value in values], dtype=np.int32)
    return codes, codes >= 0


def _listed(column: Any) -> list[Any]:
    if isinstance(column, np.ndarray):
        return list(column.tolist())
    if hasattr(column, "to_list"):
        return list(column.to_list())
    table = Native.of(column).to_polars(column)
    if table.width != 1:
        raise InputError(f"There are {table.width} columns: give one.")
    return list(table.to_series().to_list())


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and np.isnan(value))


def _weights(given: Any, size: int) -> Floats:
    weights = as_weights(given, size)
    return np.ones(size) if weights is None else weights


def _covariance(squares: Floats, matrix: Floats, inverse: Floats) -> Floats:
    """Cov(T̂) = P⁻ᵀ Σ_i S_i (diag(p_i) - p_i' p_i) P⁻¹, S_i the estimated sum of squared weights, at least 0."""
    sums = np.maximum(squares, 0.0)
    drawn = np.diag(sums @ matrix) - (matrix * sums[:, None]).T @ matrix
    return np.asarray(inverse.T @ drawn @ inverse)


def _identity(column: Any) -> Transition:
    """A column that was not changed, as a transition."""
    values = column if isinstance(column, list | tuple) else _listed(column)
    categories = tuple(sorted({value for value in values if not _is_missing(value)}, key=str))
    return Transition(("",), np.eye(len(categories)), categories)
