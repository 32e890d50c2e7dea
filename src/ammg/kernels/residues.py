"""Residuals of a linear identity, accumulated over parts of a file."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

_HIDDEN = 200.0  # rounding is tolerated if the spread of the columns is this many times larger


class Terms(NamedTuple):
    """The possible effect of rounding on the terms c_j x_j of an identity."""

    records: int
    means: Vector
    squares: Vector
    """Sums of squared deviations from the means."""
    units: Vector
    """The place of the last digit of each term."""
    size: float
    """The largest Σ |c_j x_j| of a record."""

    @classmethod
    def of(cls, values: Matrix, coefficients: Vector) -> Terms:
        """The terms of records without missing values."""
        weight = np.abs(coefficients)
        units = np.array([_unit(column) for column in values.T]) * weight
        if not len(values):
            return cls(0, np.zeros(len(weight)), np.zeros(len(weight)), units, 0.0)
        with np.errstate(over="ignore", invalid="ignore"):  # an overflowing spread is large enough
            means = values.mean(axis=0)
            squares = np.square(values - means).sum(axis=0) * weight**2
            size = float((np.abs(values) * weight).sum(axis=1).max())
        return cls(len(values), means * weight, squares, units, size)

    def merge(self, other: Terms) -> Terms:
        """Merge two parts of a file."""
        records = self.records + other.records
        if not self.records or not other.records:
            return self if self.records else other
        with np.errstate(over="ignore", invalid="ignore"):
            shift = other.means - self.means
            squares = self.squares + other.squares + shift**2 * (self.records * other.records / records)
            means = self.means + shift * (other.records / records)
        return Terms(records, means, squares, np.minimum(self.units, other.units), max(self.size, other.size))

    def tolerance(self, constant: float) -> float:
        """Tolerance for floating point and rounding: half a unit of each last digit, if that is negligible."""
        rounding = 0.5 * float(self.units.sum())
        spread = float(np.sqrt(self.squares / self.records).min()) if self.records and len(self.squares) else 0.0
        return max(1e-9 * (self.size + abs(constant)), rounding if spread > _HIDDEN * rounding else 0.0)


def residues(values: Matrix, coefficients: Vector, constant: float) -> Vector:
    """|Σ c_j x_j - constant| of each record."""
    return np.asarray(np.abs(values @ coefficients - constant))


def recoverable(coefficients: Matrix, hidden: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which hidden columns the rows of A x = b determine if all other columns are known.

    Column j is determined if e_j lies in the row space of A restricted to the hidden columns.
    """
    found = np.zeros(len(hidden), dtype=bool)
    if hidden.any() and len(coefficients):
        unknown = coefficients[:, hidden] / np.abs(coefficients).max(axis=1, keepdims=True)
        projection = np.linalg.pinv(unknown) @ unknown
        found[hidden] = np.diag(projection) > 1 - 1e-9
    return found


def _unit(column: Vector) -> float:
    """The place of the last digit: 1 for whole numbers, 0.01 for cents, 0 if there is none."""
    for decimals in range(4):
        if np.array_equal(column, np.round(column, decimals)):
            return float(10.0**-decimals)
    return 0.0
