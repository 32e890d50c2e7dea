"""Writing from Spark: whole or absent, and for a release without anything that leads back."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import polars as pl

from ammg.data.encoding import ID
from ammg.data.leaving import KEY, Leaving
from ammg.data.records import Order
from ammg.draws import Draws
from ammg.engines.spark.work import map_frames, worker_errors
from ammg.errors import InputError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from ammg.engines.spark.source import SparkSource


def write_parquet(frame: DataFrame, target: str) -> None:
    """Write a folder of Parquet files, which takes its name only when all of them are there."""
    with _whole(frame, target) as path, worker_errors():
        frame.write.parquet(path)


def release_parquet(source: SparkSource, target: str, draws: Draws, order: Order) -> None:
    """Write the records in the order of one keyed random number each, without identifiers and ids.

    The order is that of `Masked.release` in memory; household numbers are keyed hashes of 63 bits instead of 1 … H,
    because nobody sees all households at once.
    """
    leaving = Leaving.of(source.schema, draws, order)
    household = leaving.schema.household
    pending = source.pending

    def change(frame: pl.DataFrame) -> pl.DataFrame:
        frame = leaving.prepare(pending.apply(frame), None)
        return frame if household is None else frame.with_columns(_renumbered(frame[household], draws))

    frame = map_frames(source.table.frame, {**source.table.schema, ID: pl.Int64()}, change)
    leading = [f"`{household}`"] if order == "households" else []
    write_parquet(frame.orderBy(*leading, KEY, ID).drop(KEY, ID), target)


def _renumbered(households: pl.Series, draws: Draws) -> pl.Series:
    """A keyed hash of each household: the same number wherever its members are, and no way back without the secret."""
    key = draws.generator("households").bytes(32)
    distinct = households.unique()
    numbers = [
        int.from_bytes(hashlib.blake2b(str(value).encode(), key=key, digest_size=8).digest(), "little") >> 1
        for value in distinct.to_list()
    ]
    return households.replace_strict(distinct, pl.Series(numbers, dtype=pl.Int64)).alias(households.name)


@contextmanager
def _whole(frame: DataFrame, target: str) -> Iterator[str]:
    """A folder beside the target that is renamed to it at the end, by the file system that Spark writes to."""
    session: Any = frame.sparkSession
    path = session._jvm.org.apache.hadoop.fs.Path(target)
    system = path.getFileSystem(session._jsc.hadoopConfiguration())
    if system.exists(path):
        raise InputError(f"'{target}' exists: remove it, or write elsewhere.")
    scratch = session._jvm.org.apache.hadoop.fs.Path(f"{path.toString()}.{uuid4().hex}.tmp")
    try:
        yield scratch.toString()
        if not system.rename(scratch, path):
            raise InputError(f"'{target}' could not take its name: check that its folder exists and can be written to.")
    finally:
        system.delete(scratch, True)
