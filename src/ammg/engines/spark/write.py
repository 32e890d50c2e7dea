"""Writing from Spark: completely or not at all, and for a release without anything that leads back to a person."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.encoding import ID
from ammg.data.records import ORDER_KEY, Preparation
from ammg.draws import CHUNK
from ammg.engines.spark.work import Change, map_frames, worker_errors
from ammg.errors import InputError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from ammg.engines.spark.source import SparkSource

_PARTITION_BITS = 33  # Spark counts the records of a partition from its number times 2^33


def write_parquet(frame: DataFrame, target: str) -> None:
    """Write a folder of Parquet files, which gets its name only when it is complete."""
    with _whole(frame, target) as path, worker_errors():
        frame.write.parquet(path)


def release_parquet(source: SparkSource, target: str, leaving: Preparation) -> pl.DataFrame:
    """Write the records in the order of one keyed random number per record, without identifiers and ids.

    Order and household numbers are those of `Masked.release` in memory. Returns the released columns with the values
    that occur in those with labels.
    """
    change = _change(source, leaving)
    types = {**source.table.schema, ID: pl.Int64()}
    frame = _ordered(source, leaving)
    write_parquet(frame.drop(ORDER_KEY, ID), target)
    return _present(
        frame.sparkSession.read.parquet(target), leaving, change(pl.DataFrame(schema=types)).drop(ID, ORDER_KEY)
    )


def release_ids(source: SparkSource, leaving: Preparation) -> Iterator[NDArray[np.int64]]:
    """The ids of the records in the order of the release, one partition at a time on this machine."""
    rows = _ordered(source, leaving).select(ID).toLocalIterator()
    with worker_errors():
        while part := list(islice(rows, CHUNK)):
            yield np.fromiter((row[0] for row in part), dtype=np.int64, count=len(part))


def _ordered(source: SparkSource, leaving: Preparation) -> DataFrame:
    """Prepared records in the order of the release, with ids and the number by which they are sorted."""
    types = {**source.table.schema, ID: pl.Int64()}
    frame = map_frames(source.table.frame, types, _change(source, leaving))
    if leaving.renumbered is not None:
        frame = _renumbered(frame, leaving)
    leading = [f"`{leaving.schema.household}`"] if leaving.order == "households" else []
    return frame.orderBy(*leading, ORDER_KEY, ID)


def _change(source: SparkSource, leaving: Preparation) -> Change:
    pending = source.pending
    return lambda frame: leaving.prepare(pending.apply(frame), None)


def _renumbered(frame: DataFrame, leaving: Preparation) -> DataFrame:
    """Households as 1 … H in the order of the keyed number of their first record, joined to their members."""
    from pyspark.sql import functions as F

    name = str(leaving.renumbered)
    homes = frame.groupBy(F.col(f"`{name}`").alias("__home__")).agg(F.min(ID).alias(ID))
    places = map_frames(
        homes.select(ID).repartitionByRange(ID),
        {ID: pl.Int64()},
        lambda part: part.with_columns(pl.Series(ORDER_KEY, leaving.home_keys(part[ID].to_numpy()), dtype=pl.Float64)),
    )
    placed = places.orderBy(ORDER_KEY, ID).select(ID, F.monotonically_increasing_id().alias("__place__")).persist()
    parts = placed.groupBy(F.shiftright("__place__", _PARTITION_BITS).alias("part")).count().collect()
    starts, total = [], 1
    for part in sorted(parts, key=lambda row: row["part"]):
        starts.append((part["part"], total))
        total += part["count"]
    offsets = F.broadcast(frame.sparkSession.createDataFrame(starts, "part long, start long"))
    within = F.col("__place__").bitwiseAND((1 << _PARTITION_BITS) - 1)
    numbered = placed.join(offsets, F.shiftright("__place__", _PARTITION_BITS) == F.col("part"))
    numbers = homes.join(numbered.select(ID, (F.col("start") + within).alias("__number__")), ID).drop(ID)
    joined = frame.join(numbers, F.col(f"`{name}`").eqNullSafe(F.col("__home__")))
    columns = [F.col("__number__" if column == name else f"`{column}`").alias(column) for column in frame.columns]
    return joined.select(*columns)


def _present(released: DataFrame, leaving: Preparation, columns: pl.DataFrame) -> pl.DataFrame:
    """The released columns: those with labels or dictionaries with their values, which are few, the others empty."""
    found = []
    for attribute in leaving.schema:
        values = columns[attribute.name]
        if attribute.name == leaving.renumbered:
            values = values.cast(pl.Int64)
        elif isinstance(values.dtype, pl.Enum) or attribute.value_labels or attribute.categories is not None:
            distinct = pl.from_arrow(released.select(f"`{attribute.name}`").distinct().toArrow())
            assert isinstance(distinct, pl.DataFrame)
            values = distinct[attribute.name].cast(values.dtype)
        found.append(values.to_frame())
    return pl.concat(found, how="horizontal_extend")


@contextmanager
def _whole(frame: DataFrame, target: str) -> Iterator[str]:
    """A folder beside the target that is renamed to it at the end, on the file system to which Spark writes."""
    session: Any = frame.sparkSession
    path = session._jvm.org.apache.hadoop.fs.Path(target)
    system = path.getFileSystem(session._jsc.hadoopConfiguration())
    if system.exists(path):
        raise InputError(f"'{target}' already exists: remove it, or choose another path.")
    scratch = session._jvm.org.apache.hadoop.fs.Path(f"{path.toString()}.{uuid4().hex}.tmp")
    try:
        yield scratch.toString()
        if not system.rename(scratch, path):
            raise InputError(f"'{target}' could not be created: check that its folder exists and can be written to.")
    finally:
        system.delete(scratch, True)
