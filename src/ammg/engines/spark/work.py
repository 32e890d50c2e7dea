"""Functions that run on the workers: Spark pickles them with everything they need."""

from __future__ import annotations

import pickle
import re
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import polars as pl

from ammg import errors
from ammg.data.encoding import ID
from ammg.draws import CHUNK, CHUNK_BITS
from ammg.engines.spark.types import arrow_schema, from_arrow, gathered, to_arrow, to_spark
from ammg.errors import AmmgError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from ammg.engines.spark.source import SparkSource

Change = Callable[[pl.DataFrame], pl.DataFrame]
RESULTS = "chunk long, result binary"
Out = TypeVar("Out")


def map_frames(frame: DataFrame, types: Mapping[str, pl.DataType], change: Change) -> DataFrame:
    """Apply `change` to the records of each partition, up to 65,536 of them at a time.

    Batches are combined, because drawing random numbers for a record costs those of all earlier records in its chunk.
    """
    after = change(pl.DataFrame(schema=types)).schema
    struct = to_spark(after)
    target = arrow_schema(struct)

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for table in gathered(batches, CHUNK):
            yield from to_arrow(change(from_arrow(table, types)), target).to_batches()

    with arrow_only():
        return frame.mapInArrow(work, struct)


def chunk_results(
    frame: DataFrame, types: Mapping[str, pl.DataType], work: Callable[[pl.DataFrame], Out | None]
) -> list[Out]:
    """Results of `work` on the records of each chunk, in the order of the chunks, without None."""
    from pyspark.sql import functions as F

    def packed(table: pa.Table) -> pa.Table:
        import pyarrow as pa

        records = from_arrow(table.select([ID, *types_without_id]), types)
        found = {"chunk": pa.array([], pa.int64()), "result": pa.array([], pa.binary())}
        if (result := work(records)) is not None:
            small = zlib.compress(pickle.dumps(result), level=1)
            found = {"chunk": pa.array([int(records[ID][0]) >> CHUNK_BITS]), "result": pa.array([small], pa.binary())}
        return pa.table(found)

    types_without_id = [name for name in types if name != ID]
    numbered = frame.withColumn("__chunk__", F.shiftright(F.col(ID), CHUNK_BITS))
    with arrow_only(), worker_errors():
        rows = numbered.groupBy("__chunk__").applyInArrow(packed, RESULTS).collect()
    return [pickle.loads(zlib.decompress(row["result"])) for row in sorted(rows, key=lambda row: row["chunk"])]


def paired_results(
    before: SparkSource, after: SparkSource, columns: Sequence[str], work: Callable[[pl.DataFrame, pl.DataFrame], Out]
) -> list[Out]:
    """Results of `work` on the records of each chunk in two frames at different stages, joined by chunk."""
    from pyspark.sql import functions as F

    sides = []
    for source in (before, after):
        types = {name: dtype for name, dtype in source.types.items() if name == ID or name in columns}
        frame = source.frame.select(*(f"`{name}`" for name in types))
        sides.append((frame.withColumn("__chunk__", F.shiftright(F.col(ID), CHUNK_BITS)), types))
    (left, left_types), (right, right_types) = sides

    def packed(one: pa.Table, other: pa.Table) -> pa.Table:
        import pyarrow as pa

        chunk = next(int(table["__chunk__"][0].as_py()) for table in (one, other) if len(table))
        frames = (
            from_arrow(one.select(list(left_types)), left_types),
            from_arrow(other.select(list(right_types)), right_types),
        )
        small = zlib.compress(pickle.dumps(work(*frames)), level=1)
        return pa.table({"chunk": pa.array([chunk], pa.int64()), "result": pa.array([small], pa.binary())})

    with arrow_only(), worker_errors():
        grouped = left.groupBy("__chunk__").cogroup(right.groupBy("__chunk__"))
        rows = grouped.applyInArrow(packed, RESULTS).collect()
    return [pickle.loads(zlib.decompress(row["result"])) for row in sorted(rows, key=lambda row: row["chunk"])]


@contextmanager
def arrow_only() -> Iterator[None]:
    """Silence PySpark's warning about pandas 3, which is not used here: only Arrow is."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas", category=FutureWarning)
        yield


@contextmanager
def worker_errors() -> Iterator[None]:
    """Raise the error of a worker again here, instead of Spark's long report about it."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JJavaError) as error:
        said = str(error)
        found = re.findall(r"^ammg\.errors\.(\w+): (.*)$", said, flags=re.MULTILINE)
        if found:
            name, message = found[-1]
            kind = getattr(errors, name, AmmgError)
            raise kind(message) from None
        if "Python worker exited unexpectedly" in said or "ExecutorLostFailure" in said:
            raise AmmgError(
                "A worker of Spark was killed during masking, most often because it ran out of memory: give "
                "workers more memory or read the data in more partitions, and start again. Nothing was half written."
            ) from None
        raise
