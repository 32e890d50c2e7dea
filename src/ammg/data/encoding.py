"""Conversion between polars and numpy columns: numbers to float64, categories to codes of a global dictionary."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.attribute import Attribute, Kind
from ammg.data.block import Block, Column
from ammg.data.schema import Schema
from ammg.errors import InputError
from ammg.kernels.threads import in_threads

_LONG = 10_000  # categories of a long dictionary
_NEAR = 2**20  # integers within a range of this size are coded by a lookup table
_EXACT = 2**53  # every whole number up to here is a float64
_DAY = 24 * 60 * 60 * 10**9  # nanoseconds

ID = "__ammg_id__"
"""Name of the column that carries record ids through an engine."""


def kind_of(dtype: pl.DataType) -> Kind:
    """The kind that follows from a column's type alone, before the owner declares one."""
    if dtype.is_integer():
        return Kind.INTEGER
    if dtype.is_float() or dtype.is_decimal() or dtype == pl.Duration or dtype == pl.Time:
        return Kind.CONTINUOUS
    if dtype == pl.Date or dtype == pl.Datetime:
        return Kind.DATE
    if dtype == pl.Boolean or dtype == pl.String or dtype == pl.Categorical or dtype == pl.Enum:
        return Kind.NOMINAL
    return Kind.TEXT


def ticks_per_day(dtype: pl.DataType) -> int:
    """How finely a block counts the dates or moments of a column."""
    units = {"ms": 10**3, "us": 10**6, "ns": 10**9}
    return 86_400 * units[dtype.time_unit] if isinstance(dtype, pl.Datetime) else 1


def nan_as_null(frame: pl.DataFrame) -> pl.DataFrame:
    """The same records with NaN replaced by null: polars takes NaN for the largest number.

    Every entry point (microdata from memory, chunks of a stream) does this once, so that no other code meets a NaN.
    """
    floats = [name for name, dtype in frame.schema.items() if dtype.is_float()]
    holding = [name for name in floats if frame[name].is_nan().any()]
    return frame.with_columns(pl.col(holding).fill_nan(None)) if holding else frame


def taken(frame: pl.DataFrame, names: Iterable[str]) -> pl.DataFrame:
    """Some columns of a frame, at least one: as `select`, without the cost of planning a query."""
    return pl.DataFrame([frame[name] for name in dict.fromkeys(names)])


def put(frame: pl.DataFrame, columns: Iterable[pl.Series]) -> pl.DataFrame:
    """The frame with these columns, which replace those of the same name or are appended."""
    by_name = {values.name: values for values in frame.get_columns()} | {values.name: values for values in columns}
    return pl.DataFrame(list(by_name.values()))


def in_one_piece(frame: pl.DataFrame) -> pl.DataFrame:
    """The same records with every column in one piece, as numpy wants it and as polars needs it to combine columns.

    Column by column, so that a frame nobody else holds is never in memory twice.
    """
    columns = frame.get_columns()
    if all(values.n_chunks() == 1 for values in columns):
        return frame
    del frame
    for place in range(len(columns)):
        columns[place] = columns[place].rechunk()
    return pl.DataFrame(columns)


def categories_of(values: pl.Series) -> tuple[Any, ...]:
    """The dictionary of a categorical column: an Enum's own order, else the distinct values sorted."""
    if isinstance(values.dtype, pl.Enum):
        return tuple(values.dtype.categories.to_list())
    if values.dtype == pl.Boolean:
        return (False, True)
    if values.dtype.is_integer() and (few := _few_integers(values)) is not None:
        return few
    distinct = values.unique().drop_nulls()
    if distinct.dtype == pl.Categorical:
        distinct = distinct.cast(pl.String)
    if distinct.dtype.is_float():
        distinct = distinct.drop_nans()
    return tuple(distinct.sort().to_list())


def to_array(values: pl.Series, attribute: Attribute) -> Column:
    """A polars column as a block holds it; zero-copy for float64 without missing values."""
    if attribute.is_numeric:
        if values.dtype == pl.Date:
            values = values.to_physical()
        elif values.dtype.is_temporal():
            values = values.cast(pl.Int64)
        if not values.dtype.is_numeric():
            raise InputError(
                f"Column '{attribute.name}' is {values.dtype} and cannot be used as {attribute.kind.label}: "
                "give it another kind or convert it first."
            )
        return values.cast(pl.Float64).to_numpy()
    if attribute.is_categorical:
        return _codes(values, attribute)
    raise InputError(f"Column '{attribute.name}' is free text, which no method can mask: drop it or make it nominal.")


def _codes(values: pl.Series, attribute: Attribute) -> NDArray[np.int32]:
    categories = attribute.categories
    if categories is None:
        raise AssertionError(f"categories of '{attribute.name}' were not filled in")
    if not categories:
        return np.full(len(values), -1, dtype=np.int32)
    if isinstance(values.dtype, pl.Enum) and tuple(values.dtype.categories) == categories:
        physical = values.to_physical()
    elif isinstance(categories[0], str):
        if not isinstance(values.dtype, pl.String):
            values = values.cast(pl.String)
        same = _Same(categories)
        physical = _searched(values, same) if _is_long(same) else values.cast(_enum(same), strict=False).to_physical()
    elif values.dtype.is_integer() and (found := _looked_up(values, categories)) is not None:
        return found
    else:
        lookup = pl.Series(categories, dtype=values.dtype if not values.dtype.is_float() else pl.Float64)
        physical = values.replace_strict(lookup, pl.Series(range(len(categories)), dtype=pl.Int32), default=None)
    return physical.cast(pl.Int32).fill_null(-1).to_numpy()


def _few_integers(values: pl.Series) -> tuple[Any, ...] | None:
    """The distinct values of integers that lie close together, in order; None if they do not."""
    low, high = values.min(), values.max()
    if not isinstance(low, int) or not isinstance(high, int) or high - low >= _NEAR:
        return () if low is None else None
    places = (values.drop_nulls() if values.null_count() else values).cast(pl.Int64).to_numpy() - low
    seen = np.zeros(high - low + 1, dtype=bool)
    seen[places] = True
    return tuple((np.flatnonzero(seen) + low).tolist())


def _looked_up(values: pl.Series, categories: tuple[Any, ...]) -> NDArray[np.int32] | None:
    """Codes of integers by a lookup table from the smallest to the largest category; None if it would be too long."""
    if not all(type(category) is int for category in categories):
        return None
    low, high = min(categories), max(categories)
    if high - low >= _NEAR or not -_EXACT < low <= high < _EXACT:
        return None
    table = np.full(high - low + 3, -1, dtype=np.int32)  # the first and the last entry stand for all other values
    table[np.array(categories) - low + 1] = np.arange(len(categories), dtype=np.int32)
    places = values.cast(pl.Int64, strict=False).fill_null(low - 1).clip(low - 1, high + 1).to_numpy()
    return np.asarray(table[places - (low - 1)], dtype=np.int32)


def to_series(
    name: str, values: Column, attribute: Attribute, dtype: pl.DataType | None, before: pl.Series | None = None
) -> pl.Series:
    """A block's column as polars holds it: `dtype` is the type that the column had before, if it existed.

    `before` are the values from which a method made these: whole numbers among them must be exact as float64.
    """
    if attribute.pseudonymous:  # the type of the old identifiers says nothing about the new ones
        dtype = pl.Int64() if values.dtype == np.float64 else pl.String()
    if values.dtype == np.float64:
        series = pl.Series(name, values, nan_to_null=True)
        if before is not None and not attribute.pseudonymous:
            _refuse_inexact(before)
        if attribute.kind is Kind.DATE and dtype is not None:
            return series.round().cast(pl.Int32 if dtype == pl.Date else pl.Int64).cast(dtype)
        if dtype == pl.Duration and attribute.kind is Kind.CONTINUOUS:
            return series.round().cast(pl.Int64).cast(dtype)
        if dtype == pl.Time and attribute.kind is Kind.CONTINUOUS:  # times past midnight wrap around
            return (series.round().cast(pl.Int64) % _DAY).cast(dtype)
        if attribute.kind is Kind.INTEGER:
            return _as_integers(series.round(), dtype if dtype is not None and dtype.is_integer() else pl.Int64())
        return series
    categories = attribute.categories or ()
    if _is_textual(_Same(categories)) and dtype != pl.String:
        dtype = _enum(_Same(categories))
    return _decoder(_Same(categories), dtype)[values].alias(name)


def _refuse_inexact(values: pl.Series) -> None:
    if not values.dtype.is_integer():
        return
    beyond = [end for end in (values.min(), values.max()) if isinstance(end, int) and abs(end) > _EXACT]
    if beyond:
        raise InputError(
            f"Column '{values.name}' has whole numbers beyond 2^53, such as {beyond[0]}, which methods cannot compute "
            "with exactly: give it the role identifier if it is a number of something, or convert it to floating point."
        )


def _searched(values: pl.Series, same: _Same) -> pl.Series:
    """Codes by binary search, for dictionaries so long that building a hash table for every chunk would take longer."""
    lookup = _lookup(same, pl.String())
    places = lookup.search_sorted(values.fill_null(""))
    found = lookup.gather(places.clip(0, len(lookup) - 1)).eq(values).fill_null(False)
    return places.cast(pl.Int32).set(~found, None)


class _Same:
    """A dictionary compared by its identity, so that a long one is not compared anew for every chunk of records."""

    def __init__(self, categories: tuple[Any, ...]) -> None:
        self.categories = categories

    def __hash__(self) -> int:
        return id(self.categories)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.categories is other.categories


@lru_cache(maxsize=32)
def _is_long(same: _Same) -> bool:
    long = len(same.categories) >= _LONG
    return long and _is_textual(same) and _lookup(same, pl.String()).is_sorted()


@lru_cache(maxsize=32)
def _is_textual(same: _Same) -> bool:
    return all(isinstance(category, str) for category in same.categories)


@lru_cache(maxsize=32)
def _enum(same: _Same) -> pl.Enum:
    return pl.Enum(list(same.categories))


@lru_cache(maxsize=32)
def _lookup(same: _Same, dtype: pl.DataType | None) -> pl.Series:
    return pl.Series(same.categories, dtype=dtype)


@lru_cache(maxsize=32)
def _decoder(same: _Same, dtype: pl.DataType | None) -> pl.Series:
    """The dictionary with a missing value at its end, where code -1 finds it."""
    return pl.Series([*same.categories, None], dtype=dtype)


def _as_integers(series: pl.Series, dtype: pl.DataType) -> pl.Series:
    try:
        return series.cast(dtype)
    except pl.exceptions.InvalidOperationError:
        outside = series.filter(series.cast(dtype, strict=False).is_null() & series.is_not_null())
        raise InputError(
            f"Column '{series.name}' is {dtype}, which cannot hold {outside[0]:g}: convert it to a wider type first."
        ) from None


def to_block(frame: pl.DataFrame, schema: Schema, names: Iterable[str]) -> Block:
    """The named columns of a frame (which carries the record ids) as a block."""
    attributes = [schema[name] for name in names]
    arrays = in_threads(
        lambda attribute: to_array(frame[attribute.name], attribute), attributes, len(frame) * len(attributes)
    )
    columns = dict(zip([attribute.name for attribute in attributes], arrays, strict=True))
    return Block(frame[ID].to_numpy(), columns, Schema(tuple(attributes)))
