"""The engine of a cluster."""

from __future__ import annotations

import os
import sys
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from ammg import registry
from ammg.data.encoding import ID
from ammg.data.microdata import GREATEST_WEIGHT, Microdata
from ammg.data.parquet_table import ParquetTable
from ammg.engines.engine import Engine, EngineSource, PlannedStep
from ammg.engines.gap import Gap
from ammg.engines.spark.gaps import GAPS
from ammg.engines.spark.methods import OWN, run_of
from ammg.engines.spark.source import SparkSource
from ammg.engines.spark.table import SparkTable, from_files, from_frame
from ammg.engines.spark.types import arrow_schema, to_arrow, to_spark
from ammg.errors import InputError
from ammg.methods.method import Method
from ammg.optional import require
from ammg.summaries.summary import State, Summary, Value

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class SparkEngine(Engine):
    """Runs RECORD methods where the records are; partitions never change a result.

    Workers need ammg installed. Masked records stay on Spark: `masked.release().write("name.parquet")` and
    `masked.source.write_parquet(path)` write them there.
    """

    name: ClassVar[str] = "spark"

    def __init__(self, session: SparkSession | None = None) -> None:
        """Take a session, else the active one, else start one with Spark's defaults."""
        require("pyspark", "Masking on Spark")
        require("pandas", "Masking on Spark")  # PySpark requires it even where only Arrow is used
        self.session = session or _session()

    @classmethod
    def gap(cls, method: type[Method]) -> Gap | None:
        """Methods that see more than one record run within strata, or in a distributed version."""
        return None if registry.snake(method.__name__) in OWN else GAPS.get(method.sees)

    def read(self, *paths: str) -> Microdata:
        """Microdata from Parquet files or folders that Spark can read, numbered by file name and row."""
        if not paths:
            raise InputError("No files are given: name at least one Parquet file or folder.")
        return Microdata(from_files(self.session, paths))

    def microdata(self, frame: DataFrame, ids: str) -> Microdata:
        """Microdata from a Spark frame whose column `ids` numbers its records 0 … n-1; the column itself is dropped."""
        return Microdata(from_frame(frame, ids))

    def open(self, data: Microdata) -> SparkSource:
        """Bind microdata: data on Spark stay there, Parquet is read by Spark, a frame in memory is sent to it."""
        source = SparkSource(self, data.schema, self._table(data), data)
        if (weight := data.schema.weight) is not None and data.streamed is not None and data.streamed.remote:
            _check_weights(source.table, weight)
        return source

    def fold(self, source: EngineSource, summary: Summary[State, Value]) -> Value:
        """Merge the workers' partial results here, from the left: they are small."""
        assert isinstance(source, SparkSource)
        states = source.states(summary)
        return summary.finish(reduce(summary.merge, states) if states else None)

    def map(self, source: EngineSource, step: PlannedStep) -> SparkSource:
        """Add a stage that runs when records are requested; methods that see more than one record run at once."""
        assert isinstance(source, SparkSource)
        self.check(step.method, step.schema)
        run = run_of(type(step.method))
        return source.then(step) if run is None else run(source, step)

    def _table(self, data: Microdata) -> SparkTable:
        streamed = data.streamed
        if isinstance(streamed, SparkTable):
            return streamed
        if isinstance(streamed, ParquetTable):
            table = from_files(self.session, [_uri(file) for file in streamed.files], streamed.schema)
            return table.without_codes(streamed.codes)
        held = data.table
        ids = pl.int_range(len(held), dtype=pl.Int64, eager=True).alias(ID)
        numbered = held.with_columns(ids)
        struct = to_spark(numbered.schema)
        frame = self.session.createDataFrame(to_arrow(numbered, arrow_schema(struct)), struct)
        return SparkTable(frame.persist(), held.schema, len(held))  # sent once, not once per summary


def _session() -> Any:
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # otherwise workers use the first python3 on the path
    builder = SparkSession.builder.appName("ammg").config("spark.ui.showConsoleProgress", "false")  # AMMG shows its own
    return builder.getOrCreate()


def _uri(file: Path) -> str:
    """A path as Spark expects it, with pattern characters escaped."""
    path = str(file.resolve())
    for character in "\\{}[]*?":
        path = path.replace(character, f"\\{character}")
    return path


def _check_weights(table: SparkTable, weight: str) -> None:
    from pyspark.sql import functions as F

    value = F.col(f"`{weight}`").cast("double")
    wrong = value.isNull() | F.isnan(value) | (value < 0) | (value > GREATEST_WEIGHT)
    if count := table.frame.where(wrong).count():
        raise InputError(
            f"Weight '{weight}' is missing, negative or above {GREATEST_WEIGHT:g} in {count:,} records: "
            "correct the weights or remove the role."
        )
