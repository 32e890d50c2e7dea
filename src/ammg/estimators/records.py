"""Input of the estimators as numbers: arrays, lists, or tables of polars, pandas and pyarrow."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.data.native import Native
from ammg.errors import ColumnError, InputError, did_you_mean
from ammg.kernels.pairwise import Moments, pairwise_moments

Floats = NDArray[np.float64]


class Records(NamedTuple):
    """Columns of numbers, NaN where missing, with their names if they have any."""

    values: Floats
    names: tuple[str, ...] = ()

    def position(self, column: int | str) -> int:
        """The position of a column, from its name or its position."""
        if isinstance(column, str):
            if column not in self.names:
                raise ColumnError(f"Column '{column}' not found.{did_you_mean(column, self.names)}")
            return self.names.index(column)
        if not 0 <= column < self.values.shape[1]:
            raise InputError(f"There is no column {column}: positions are 0 to {self.values.shape[1] - 1}.")
        return int(column)


def as_records(given: Any) -> Records:
    """A matrix, a list of records, or a table whose columns are all numbers."""
    if isinstance(given, Records):
        return given
    if isinstance(given, np.ndarray | list | tuple):
        values = _matrix(given)
        _refuse_infinite(values)
        return Records(values)
    table = Native.of(given).to_polars(given)
    for name, dtype in table.schema.items():
        if not dtype.is_numeric():
            raise InputError(f"Column '{name}' is {dtype}: choose the columns that are numbers.")
    values = table.to_numpy() if table.width else np.empty((0, 0))
    # Row by row, so that a table gives bitwise the same result as the matrix of its values.
    values = np.ascontiguousarray(values, dtype=np.float64)
    _refuse_infinite(values)
    return Records(values, tuple(table.columns))


def as_moments(given: Any, weights: Any = None) -> Moments:
    """Means and covariances, given or computed from records."""
    if isinstance(given, Moments):
        return given
    records = as_records(given)
    return pairwise_moments(records.values, as_weights(weights, len(records.values)))


def as_weights(given: Any, size: int) -> Floats | None:
    """The weights of the records, checked."""
    if given is None:
        return None
    weights = np.asarray(given, dtype=np.float64)
    if weights.shape != (size,):
        raise InputError(f"There are {weights.size} weights but {size} records: give one weight per record.")
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.sum() > 0):
        raise InputError("A weight is negative, missing or infinite, or all are zero: correct the weights.")
    return weights


def as_noise(given: Any, columns: int) -> Floats:
    """The covariance of the noise in all columns."""
    noise = np.asarray(given, dtype=np.float64)
    if noise.shape != (columns, columns):
        raise InputError(
            f"The noise covariance has the shape {noise.shape} but there are {columns} columns: give one row and one "
            "column for each, with zeros for columns without noise."
        )
    if not np.isfinite(noise).all():
        raise InputError("The noise covariance has a missing or infinite entry: use zeros where there is no noise.")
    return noise


def as_noise_by_record(given: Any, records: int, columns: int) -> Floats:
    """The noise covariance of all columns for each record, from one matrix for all or one per record."""
    noise = np.asarray(given, dtype=np.float64)
    if noise.ndim != 3:
        return np.broadcast_to(as_noise(noise, columns), (records, columns, columns))
    if noise.shape != (records, columns, columns):
        raise InputError(
            f"The noise covariances have the shape {noise.shape}, but there are {records} records of {columns} "
            "columns: give one matrix per record, or one for all."
        )
    return noise


def as_means(given: Any, columns: int) -> Floats:
    """One mean per column."""
    means = np.asarray(given, dtype=np.float64)
    if means.shape != (columns,) or not np.isfinite(means).all():
        raise InputError(f"The means are {means.tolist()} but there are {columns} columns: give one number per column.")
    return means


def _matrix(given: Any) -> Floats:
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            "The records are not a matrix of numbers: give one row per record and one column per variable."
        ) from None
    if values.ndim != 2:
        raise InputError(f"The records have {values.ndim} dimensions: give a row per record and a column per variable.")
    return values


def _refuse_infinite(values: Floats) -> None:
    if np.isinf(values).any():
        raise InputError("A record has an infinite value: set it to missing, or leave the record out.")
