"""Conversion between the types of polars and Spark, which has no Enum, no unsigned integers and no nanoseconds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import polars as pl

from ammg.data.encoding import ID, nan_as_null
from ammg.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

_WIDER: Mapping[pl.DataType, pl.DataType] = {
    pl.UInt8(): pl.Int16(),
    pl.UInt16(): pl.Int32(),
    pl.UInt32(): pl.Int64(),
    pl.UInt64(): pl.Decimal(20, 0),  # as Spark reads it from Parquet
    pl.Duration("us"): pl.Int64(),
    pl.Duration("ms"): pl.Int64(),
    pl.Duration("ns"): pl.Int64(),
}
_SAME = (
    pl.Int8,
    pl.Int16,
    pl.Int32,
    pl.Int64,
    pl.Float32,
    pl.Float64,
    pl.Boolean,
    pl.String,
    pl.Date,
    pl.Decimal,
    pl.Binary,
)


def held(name: str, dtype: pl.DataType) -> pl.DataType:
    """The polars type in which a column of type `dtype` is sent to Spark without loss."""
    if isinstance(dtype, pl.Enum | pl.Categorical):
        return pl.String()
    if dtype in _WIDER:
        return _WIDER[dtype]
    if isinstance(dtype, pl.Datetime) and dtype.time_unit != "ns":
        return pl.Datetime("us", "UTC" if dtype.time_zone else None)
    if isinstance(dtype, pl.List):
        return pl.List(held(name, dtype.inner))  # type: ignore[arg-type]
    if isinstance(dtype, _SAME):
        return dtype
    raise InputError(f"Column '{name}' is {dtype}, which Spark cannot hold: convert or drop it first.")


def to_spark(types: Mapping[str, pl.DataType]) -> StructType:
    """The Spark schema of records with these polars types."""
    from pyspark.sql.pandas.types import from_arrow_schema

    empty = pl.DataFrame(schema={name: held(name, dtype) for name, dtype in types.items()})
    arrow = empty.to_arrow(compat_level=pl.CompatLevel.oldest()).schema
    return from_arrow_schema(arrow, prefer_timestamp_ntz=True)


def from_spark(schema: StructType) -> pl.Schema:
    """The polars types of a Spark frame."""
    from pyspark.errors import PySparkException
    from pyspark.sql.pandas.types import to_arrow_schema

    try:
        arrow = to_arrow_schema(schema, timezone="UTC")
    except PySparkException as error:
        raise InputError(f"The Spark frame has a type that Arrow lacks: {error}. Convert or drop the column.") from None
    frame = pl.from_arrow(arrow.empty_table())
    assert isinstance(frame, pl.DataFrame)
    return frame.schema


def to_arrow(frame: pl.DataFrame, target: pa.Schema) -> pa.Table:
    """A frame as an Arrow table with exactly the types that Spark expects."""
    crossing = frame.cast({name: held(name, dtype) for name, dtype in frame.schema.items()})
    return crossing.select(target.names).to_arrow(compat_level=pl.CompatLevel.oldest()).cast(target)


def from_arrow(table: pa.Table, types: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Data from Spark, in the types of the local engine, in the order of the ids."""
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    return nan_as_null(frame.cast({name: types[name] for name in frame.columns}).sort(ID))


def arrow_schema(struct: StructType) -> pa.Schema:
    """The Arrow schema that Spark expects from workers."""
    from pyspark.sql.pandas.types import to_arrow_schema

    return to_arrow_schema(struct, timezone="UTC")


def gathered(batches: Iterator[pa.RecordBatch], rows: int) -> Iterator[pa.Table]:
    """Consecutive batches as tables of about `rows` records."""
    import pyarrow as pa

    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(map(len, waiting)) + len(batch) > rows:
            yield pa.Table.from_batches(waiting)
            waiting = []
    if waiting:
        yield pa.Table.from_batches(waiting)
