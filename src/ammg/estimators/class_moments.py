"""Moments within the classes of a file whose numbers and categories were masked together (Sullivan and Fuller).

The error has the same covariance for all records and moves some into other classes, so correlations within classes
shift towards the overall ones. "The sophisticated user can recover the correct covariance matrix using measurement
error techniques" (Sullivan and Fuller, section 5). Here, the scores before masking are assumed normal within each
class, and EM finds the means and covariances that make the released scores and classes most likely.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ammg.data.native import Native
from ammg.data.published import ScoreNoise
from ammg.errors import ColumnError, InputError, did_you_mean
from ammg.kernels.noise.class_scores import ClassFit, fit_classes, values_at
from ammg.kernels.pairwise import Moments

Floats = NDArray[np.float64]

_MOST = 20_000
"""Most records used, chosen evenly by rank of the first column; more would mainly take longer."""


def class_moments(released: Any, noise: ScoreNoise, by: str) -> dict[Any, Moments]:
    """Estimate means and covariances of the numbers within each class of `by`, as they were before masking.

    `released` is the masked file, `noise` what the method published (`masked.published`), `by` one of its categorical
    columns. The columns of the moments are the numeric columns of `noise`, in its order. The estimates assume normal
    scores within classes; they are good for classes of some hundreds of records and noisy for small ones.

    Raises:
        InputError: the file's columns or categories differ from the description, or values are missing.
    """
    table = Native.of(released).to_polars(released)
    for name in noise.columns:
        if name not in table.columns:
            raise ColumnError(f"Column '{name}' not found in the file.{did_you_mean(name, table.columns)}")
    places = dict(zip(noise.columns, _places(noise), strict=True))
    numbers = [name for name, order in zip(noise.columns, noise.orders, strict=True) if not order]
    if by not in places or by in numbers:
        known = [name for name in noise.columns if name not in numbers]
        raise InputError(f"'{by}' is not a masked column with categories: give one of {', '.join(known) or 'none'}.")
    if not numbers:
        raise InputError("No numeric column was masked together with the classes: there are no moments to estimate.")
    table = table.select(*numbers, by).drop_nulls()
    if table.height <= 10 * len(numbers):
        raise InputError(f"The file has {table.height} records without missing values, which is too few.")
    if table.height > _MOST:
        table = table.sort(numbers[0])[np.linspace(0, table.height - 1, _MOST).astype(np.int64).tolist()]
    order = noise.orders[noise.columns.index(by)]
    codes = _codes(table[by].to_list(), order, by)
    values = np.ascontiguousarray(table.select(numbers).to_numpy(), dtype=np.float64)
    used = [places[name].start for name in numbers]
    fit = fit_classes(values, codes, noise.covariance[np.ix_(*2 * [[*used, *range(*places[by].indices(10**9))]])])
    return {category: _moments(values, fit, place) for place, category in enumerate(order) if (codes == place).any()}


def _places(noise: ScoreNoise) -> list[slice]:
    widths = [len(order) - 1 if order else 1 for order in noise.orders]
    ends = np.cumsum(widths)
    if np.shape(noise.covariance) != (ends[-1], ends[-1]):
        raise InputError(
            f"The error covariance has the shape {np.shape(noise.covariance)} but the columns have {ends[-1]} "
            "scores: give one row and one column per score."
        )
    return [slice(int(end) - width, int(end)) for width, end in zip(widths, ends, strict=True)]


def _codes(values: list[Any], order: tuple[Any, ...], by: str) -> NDArray[np.int64]:
    place = {category: number for number, category in enumerate(order)}
    strange = next((value for value in values if value not in place), None)
    if strange is not None:
        raise InputError(f"'{by}' has the value '{strange}', which is not a category of the description.")
    return np.array([place[value] for value in values], dtype=np.int64)


def _moments(values: Floats, fit: ClassFit, place: int) -> Moments:
    drawn = values_at(values, fit, place)
    return Moments(drawn.mean(axis=0), np.atleast_2d(np.cov(drawn.T)))
