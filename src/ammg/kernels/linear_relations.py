"""Exact linear relations between columns: the null space of the data matrix, made sparse."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.residues import Terms
from ammg.kernels.scaling import exponents, only_extreme, scaled

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

_SUSPECT = 5e-3  # relative size of a column's remainder below which a relation is tried
_LARGEST_DENOMINATOR = 100


def linear_relations(values: Matrix) -> list[Vector]:
    """Vectors c of length m + 1 with values @ c[:m] = c[m], one for each column determined by earlier ones.

    The columns are orthogonalised one by one (modified Gram-Schmidt, twice): a column without a remainder depends on
    those before it, which gives the reduced row echelon form without trying any sums. Coefficients are rounded to
    simple numbers, and a relation counts only if every record then meets it, exactly or up to the rounding of whole
    numbers. Relations are combined with each other as long as that makes them shorter.

    Args:
        values: n × m without missing values; constant columns take part in no relation.
    """
    n, m = values.shape
    if n < 2 * (m + 2):
        return []
    unit = only_extreme(exponents(values.ravel()))  # one for all columns, so that sums stay sums
    if unit:
        return [np.append(c[:m], np.ldexp(c[m], unit)) for c in linear_relations(scaled(values, unit))]
    mean = values.mean(axis=0)
    centred = values - mean
    scale = np.sqrt(np.square(centred).sum(axis=0))
    basis: list[Vector] = []
    members: list[int] = []
    triangle = np.zeros((m, m))
    found: list[Vector] = []
    for column in range(m):
        if scale[column] <= 1e-12 * np.sqrt(n) * max(1.0, float(np.abs(values[:, column]).max())):
            continue
        rest = centred[:, column] / scale[column]
        used = np.zeros(len(basis))
        if basis:
            orthogonal = np.stack(basis, axis=1)
            for _ in range(2):
                step = orthogonal.T @ rest
                rest = rest - orthogonal @ step
                used += step
        left = float(np.sqrt(np.square(rest).sum()))
        if left < _SUSPECT and basis:
            rank = len(basis)
            solved = np.linalg.solve(triangle[:rank, :rank], used)
            raw = np.zeros(m)
            raw[members] = -solved * scale[column] / scale[members]
            raw[np.abs(raw * scale) < (0.5 * left + 1e-9) * scale[column]] = 0.0
            raw[column] = 1.0
            relation = _simplest(values, raw, column)
            if relation is not None:
                found.append(relation)
                continue
        if left > 1e-10:  # the remainder of a dependent column is rounding noise and must not become a direction
            triangle[: len(basis), len(basis)] = used
            triangle[len(basis), len(basis)] = left
            basis.append(rest / left)
            members.append(column)
    return _shortened(values, found)


def residual(values: Matrix, relation: Vector) -> float:
    """The largest absolute residual of a relation over the records."""
    if not len(values):
        return 0.0
    return float(np.abs(values @ relation[:-1] - relation[-1]).max())


def tolerance(values: Matrix, relation: Vector) -> float:
    """Tolerance for floating point and rounding: half a unit of each column's last digit, if that is negligible."""
    used = np.flatnonzero(relation[:-1])
    return Terms.of(values[:, used], relation[used]).tolerance(float(relation[-1]))


def _simplest(values: Matrix, raw: Vector, column: int) -> Vector | None:
    """The relation with the simplest coefficients near `raw` that holds in all records."""
    for simple in (_fraction, lambda x: float(f"{x:.3g}"), lambda x: float(f"{x:.5g}"), float):
        coefficients = np.array([simple(x) for x in raw])
        coefficients[column] = 1.0
        totals = values @ coefficients
        middle = 0.5 * float(totals.min() + totals.max())  # the constant with the smallest largest residual
        for constant in (float(round(middle)) + 0.0, middle):
            relation = np.append(coefficients, constant)
            if residual(values, relation) <= tolerance(values, relation):
                return relation
    return None


def _fraction(x: float) -> float:
    simple = Fraction(x).limit_denominator(_LARGEST_DENOMINATOR)
    return float(simple) if abs(float(simple) - x) <= 1e-4 * max(abs(x), 1e-3) else float(f"{x:.2g}")


def _shortened(values: Matrix, relations: list[Vector]) -> list[Vector]:
    """Replace a relation by its combination with another one while that has fewer terms."""
    relations = list(relations)
    improved = True
    while improved:
        improved = False
        for i, left in enumerate(relations):
            for j, right in enumerate(relations):
                if i == j:
                    continue
                shorter = _combined(values, left, right, lambda c: int(np.count_nonzero(c[:-1])))
                if shorter is not None:
                    relations[i] = left = shorter
                    improved = True
    return relations


def _combined(values: Matrix, left: Vector, right: Vector, terms: Callable[[Vector], int]) -> Vector | None:
    for shared in np.flatnonzero((left[:-1] != 0) & (right[:-1] != 0)):
        combined = left - left[shared] / right[shared] * right
        combined[np.abs(combined) < 1e-9 * np.abs(left).max()] = 0.0
        kept = np.flatnonzero(combined[:-1])
        if not 0 < terms(combined) < terms(left):
            continue
        combined = combined / combined[kept[-1]]
        relation = _simplest(values, combined[:-1], int(kept[-1]))
        if relation is not None:
            return relation
    return None
