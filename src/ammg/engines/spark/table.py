"""Records on Spark, with stable record numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import polars as pl

from ammg.data.encoding import ID, nan_as_null
from ammg.data.streamed_table import Out, StreamedTable
from ammg.engines.spark.types import from_arrow, from_spark
from ammg.engines.spark.work import chunk_results
from ammg.errors import AmmgError, InputError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class SparkTable(StreamedTable):
    """A Spark frame whose records carry the ids 0 … n-1; `types` are the polars types of its columns."""

    remote: ClassVar[bool] = True

    def __init__(self, frame: DataFrame, types: pl.Schema | None = None, height: int | None = None) -> None:
        self.frame = frame
        self._types = from_spark(frame.drop(ID).schema) if types is None else types
        self._height = height

    @property
    def schema(self) -> pl.Schema:
        """Column names and types."""
        return self._types

    @cached_property
    def height(self) -> int:
        """The number of records, counted by Spark if it is unknown."""
        return self.frame.count() if self._height is None else self._height

    def distinct(self, column: str) -> pl.Series:
        """The values that occur in a column: few enough for the driver if it is categorical."""
        values = self.frame.select(column).distinct().toArrow()
        frame = pl.from_arrow(values)
        assert isinstance(frame, pl.DataFrame)
        return nan_as_null(frame.cast({column: self._types[column]}))[column]

    def without_codes(self, codes: Mapping[str, tuple[Any, ...]]) -> SparkTable:
        """The same records with the missing-value codes of some columns set to missing."""
        changes = {name: _without(name, self._types[name], given) for name, given in codes.items()}
        return SparkTable(self.frame.withColumns(changes), self._types, self._height) if changes else self

    def chunks(self, columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """Refuse: the records stay on Spark."""
        not_here()

    def each(self, columns: Sequence[str], work: Callable[[pl.DataFrame], Out]) -> Iterator[Out]:
        """Results of `work` on the chunks, computed by the workers."""
        return iter(self.results(columns, work))

    def results(self, columns: Iterable[str], work: Callable[[pl.DataFrame], Out | None]) -> list[Out]:
        """Results of the chunks in order, without None."""
        wanted = set(columns)
        types = {**{name: dtype for name, dtype in self._types.items() if name in wanted}, ID: pl.Int64()}
        frame = self.frame.select(*(f"`{name}`" for name in types))
        return chunk_results(frame, types, work)

    def read(self, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Refuse: the records stay on Spark."""
        not_here()

    def head(self, rows: int) -> pl.DataFrame:
        """The first records: few enough for the driver if `rows` is small."""
        first = self.frame.where(self.frame[ID] < rows)
        return from_arrow(first.toArrow(), {**self._types, ID: pl.Int64()}).drop(ID)


def _without(name: str, dtype: pl.DataType, codes: tuple[Any, ...]) -> Any:
    from pyspark.sql import functions as F

    value = F.col(f"`{name}`")
    for code in codes:
        if dtype.is_numeric() and not isinstance(code, str):
            coded = value.between(*code) if isinstance(code, tuple) else value == code
        elif not dtype.is_numeric() and not dtype.is_temporal() and isinstance(code, str):
            coded = value == code
        else:
            continue
        value = F.when(~F.coalesce(coded, F.lit(False)), value)
    return value


def not_here() -> NoReturn:
    """Refuse, and say how to get at records on Spark."""
    raise AmmgError(
        "The records are on Spark and are not collected on this machine automatically: write them with "
        "masked.source.write_parquet(path), release them with masked.release().write('name.parquet'), "
        "or collect them with masked.source.to_polars()."
    )


def from_files(session: SparkSession, paths: Sequence[str], types: pl.Schema | None = None) -> SparkTable:
    """Number the records of Parquet files: file by file in the order of their names, row by row within.

    A record keeps its number whatever the partitions, which `monotonically_increasing_id` does not guarantee.
    """
    from pyspark.sql import functions as F

    frame = session.read.parquet(*paths)
    row, path = F.col("_metadata.row_index"), F.col("_metadata.file_path")
    sizes = frame.select(row.alias("row"), path.alias("path")).groupBy("path").agg(F.max("row").alias("last")).collect()
    heights = {entry["path"]: entry["last"] + 1 for entry in sizes}
    offsets, total = [], 0
    for name in sorted(heights):
        offsets.append((name, total))
        total += heights[name]
    columns = [F.col(f"`{name}`") for name in frame.columns]
    if len(offsets) < 2:
        numbered = frame.select(*columns, row.alias(ID))
    else:
        starts = F.broadcast(session.createDataFrame(offsets, "__path__ string, __start__ long"))
        placed = frame.select(*columns, row.alias("__row__"), path.alias("__path__")).join(starts, "__path__")
        numbered = placed.select(*columns, (F.col("__row__") + F.col("__start__")).alias(ID))
    return SparkTable(numbered, types, total)


def from_frame(frame: DataFrame, ids: str) -> SparkTable:
    """Take a frame that numbers its records 0 … n-1 in the column `ids`."""
    from pyspark.sql import functions as F

    if ids not in frame.columns:
        raise InputError(f"The Spark frame has no column '{ids}' with record numbers from 0: add one.")
    number = F.col(f"`{ids}`")
    summary = frame.agg(F.min(number), F.max(number), F.count_distinct(number), F.count("*"))
    least, most, different, records = summary.collect()[0]
    if records and (least, most, different) != (0, records - 1, records):
        raise InputError(
            f"Column '{ids}' must number the {records:,} records 0 to {records - 1:,}, each once; "
            f"it has {different:,} numbers from {least} to {most}."
        )
    return SparkTable(frame.withColumn(ID, number.cast("long")).drop(ids), height=records)
