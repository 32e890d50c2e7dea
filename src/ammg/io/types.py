"""Types by name, and the way back from what a poorer format could hold."""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from ammg.errors import InputError

_PLAIN: dict[str, pl.DataType] = {
    "int8": pl.Int8(),
    "int16": pl.Int16(),
    "int32": pl.Int32(),
    "int64": pl.Int64(),
    "uint8": pl.UInt8(),
    "uint16": pl.UInt16(),
    "uint32": pl.UInt32(),
    "uint64": pl.UInt64(),
    "float32": pl.Float32(),
    "float64": pl.Float64(),
    "boolean": pl.Boolean(),
    "text": pl.String(),
    "category": pl.Categorical(),
    "date": pl.Date(),
    "time": pl.Time(),
}
_NAMES = {dtype: name for name, dtype in _PLAIN.items()}

MOMENT = "%Y-%m-%dT%H:%M:%S%.f"
"""How text files write a moment in time; a time zone adds its offset."""


def type_name(column: str, dtype: pl.DataType) -> str:
    """The name of a type in codebooks; nested columns have none and are refused."""
    if isinstance(dtype, pl.Enum):
        return "enum"
    if isinstance(dtype, pl.Datetime):
        return f"datetime[{dtype.time_unit}{f', {dtype.time_zone}' if dtype.time_zone else ''}]"
    if isinstance(dtype, pl.Duration):
        return f"duration[{dtype.time_unit}]"
    if isinstance(dtype, pl.Decimal):
        return f"decimal({dtype.precision}, {dtype.scale})"
    if dtype in _NAMES:
        return _NAMES[dtype]
    if dtype == pl.Null:
        return "text"
    raise InputError(
        f"Column '{column}' is {dtype}, which this format cannot store: convert it to numbers, text or "
        "dates, or write Parquet."
    )


def named_type(name: str, categories: Sequence[str] = ()) -> pl.DataType:
    """The type that a codebook names."""
    if name in _PLAIN:
        return _PLAIN[name]
    if name == "enum":
        return pl.Enum(list(categories))
    if match := re.fullmatch(r"datetime\[(ms|us|ns)(?:, (.+))?\]", name):
        return pl.Datetime(match[1], match[2])  # type: ignore[arg-type]
    if match := re.fullmatch(r"duration\[(ms|us|ns)\]", name):
        return pl.Duration(match[1])  # type: ignore[arg-type]
    if match := re.fullmatch(r"decimal\((\d+), (\d+)\)", name):
        return pl.Decimal(int(match[1]), int(match[2]))
    raise InputError(f"Unknown type '{name}' in a codebook: use one of {', '.join(_PLAIN)}, enum, datetime[us] …")


def flattened(table: pl.DataFrame) -> pl.DataFrame:
    """The table with types that every format knows: categories as text, durations as integers."""
    columns = []
    for name, dtype in table.schema.items():
        type_name(name, dtype)
        if dtype == pl.Categorical or isinstance(dtype, pl.Enum) or dtype == pl.Null:
            columns.append(pl.col(name).cast(pl.String))
        elif dtype == pl.Duration:
            columns.append(pl.col(name).cast(pl.Int64))
        else:
            columns.append(pl.col(name))
    return table.select(columns)


def restored(values: pl.Series, dtype: pl.DataType) -> pl.Series:
    """A column as the type it was before it was written; raises `ValueError` when a value would change."""
    if values.dtype == dtype:
        return values
    try:
        after = _from_text(values, dtype) if values.dtype == pl.String else _from_typed(values, dtype)
    except pl.exceptions.PolarsError as error:
        raise ValueError(str(error).splitlines()[0]) from None
    return after


def _from_text(values: pl.Series, dtype: pl.DataType) -> pl.Series:
    if dtype == pl.Boolean:
        return values.str.to_lowercase().replace_strict({"true": True, "false": False}, return_dtype=pl.Boolean)
    if dtype == pl.Date:
        return values.str.to_date("%Y-%m-%d")
    if dtype == pl.Time:
        return values.str.to_time("%H:%M:%S%.f")
    if isinstance(dtype, pl.Datetime):
        unit = dtype.time_unit
        if dtype.time_zone is None:
            return values.str.to_datetime(MOMENT, time_unit=unit)
        return values.str.to_datetime(f"{MOMENT}%#z", time_unit=unit).dt.convert_time_zone(dtype.time_zone)
    if dtype == pl.Duration:
        return values.cast(pl.Int64).cast(dtype)
    return values.cast(dtype)


def _from_typed(values: pl.Series, dtype: pl.DataType) -> pl.Series:
    if values.dtype == pl.Null:
        return values.cast(dtype)
    if isinstance(dtype, pl.Datetime) and dtype.time_zone and values.dtype == pl.Datetime:
        if values.dtype.time_zone is None:  # type: ignore[attr-defined]
            values = values.dt.replace_time_zone("UTC")
        return values.dt.convert_time_zone(dtype.time_zone).dt.cast_time_unit(dtype.time_unit)
    if dtype == pl.Duration and values.dtype != pl.Duration:
        values = values.cast(pl.Int64)
    after = values.cast(dtype)
    exact = values.dtype.is_numeric() and dtype.is_numeric() and not dtype.is_float()
    if exact and not (after.cast(values.dtype) == values).all():
        raise ValueError(f"its numbers are not all {dtype}")
    return after
