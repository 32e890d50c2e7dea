"""Records on Spark with what is still to be done to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import polars as pl

from ammg.data.block import Block
from ammg.data.encoding import ID, categories_of, to_block
from ammg.data.microdata import Microdata
from ammg.data.records import Compare, Order
from ammg.data.schema import Schema
from ammg.draws import Draws, Secret
from ammg.engines.engine import EngineSource, Out, PlannedStep
from ammg.engines.pending import NOTHING, Pending, side_by_side
from ammg.engines.spark.table import SparkTable, not_here
from ammg.engines.spark.types import from_arrow
from ammg.engines.spark.work import map_frames, worker_errors
from ammg.errors import InputError
from ammg.summaries.summary import State, Summary, Value

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from ammg.engines.spark.engine import SparkEngine


@dataclass(frozen=True, eq=False)
class SparkSource(EngineSource):
    """A numbered Spark frame and the stages that its records still go through, all in one pass."""

    engine: SparkEngine
    schema: Schema
    table: SparkTable
    original: Microdata
    pending: Pending = NOTHING

    @property
    def next_id(self) -> int:  # type: ignore[override]
        """The first id that no record has had."""
        return self.table.height

    @property
    def in_memory(self) -> bool:
        """Never: records stay on Spark."""
        return False

    @cached_property
    def types(self) -> pl.Schema:
        """The polars types of the records after all stages, ids included."""
        return self.pending.apply(pl.DataFrame(schema={**self.table.schema, ID: pl.Int64()})).schema

    @property
    def frame(self) -> DataFrame:
        """The masked records with their ids as a Spark frame, to go on with in Spark."""
        return self._mapped(self.table.frame)

    def _mapped(self, frame: DataFrame) -> DataFrame:
        return map_frames(frame, {**self.table.schema, ID: pl.Int64()}, self.pending.apply)

    def head(self, rows: int) -> pl.DataFrame:
        """What became of the first `rows` records: few enough for this machine if `rows` are."""
        first = self.table.frame.where(self.table.frame[ID] < rows)
        with worker_errors():
            return from_arrow(self._mapped(first).toArrow(), self.types)

    def count(self) -> int:
        """The number of records."""
        return self._count

    @cached_property
    def _count(self) -> int:
        return self.fold(_Records()) if self.pending else self.table.height

    def fold(self, summary: Summary[State, Value]) -> Value:
        """Add a summary up over all records."""
        return self.engine.fold(self, summary)

    def states(self, summary: Summary[State, Value]) -> list[State]:
        """The summary's partial results by chunk, made by the workers from the columns that it needs."""
        schema, pending = self.schema, self.pending

        def state(frame: pl.DataFrame) -> State | None:
            records = pending.apply(frame)
            return summary.add(to_block(records, schema, summary.columns)) if len(records) else None

        return self.table.results(pending.reads(summary.columns), state)

    def beside(self, columns: Sequence[str], compare: Compare[Out]) -> Iterator[Out]:
        """What was read and what became of it, compared by the workers chunk by chunk."""
        pending = self.pending

        def compared(frame: pl.DataFrame) -> Out:
            return compare(*side_by_side(frame, pending, columns))

        return iter(self.table.results(pending.reads(columns) | set(columns), compared))

    def then(self, step: PlannedStep) -> SparkSource:
        """The records after one step more."""
        return replace(self, schema=step.schema_after, pending=self.pending.then(step))

    def with_schema(self, schema: Schema) -> SparkSource:
        """The same records under other attributes."""
        return replace(self, schema=schema)

    def filter(self, condition: pl.Expr) -> SparkSource:
        """The records that meet a condition."""
        return replace(self, pending=self.pending.then(condition))

    def block(self, columns: tuple[str, ...]) -> Block:
        """Refuse: no worker has all records at once."""
        not_here()

    def collect(self) -> pl.DataFrame:
        """Refuse: use `write_parquet`, or `to_polars` to bring the records here on purpose."""
        not_here()

    def chunks(self, columns: list[str] | None = None) -> Iterator[pl.DataFrame]:
        """Refuse: use `write_parquet`, or `to_polars` to bring the records here on purpose."""
        not_here()

    def to_polars(self) -> pl.DataFrame:
        """All records with their ids on this machine, because somebody asked for it."""
        with worker_errors():
            return from_arrow(self.frame.toArrow(), self.types)

    def write_parquet(self, target: str, ids: str = "record") -> None:
        """Write the masked records with their ids, identifiers included: for the owner, not for release."""
        from ammg.engines.spark.write import write_parquet

        if ids in self.schema:
            raise InputError(f"There is a column '{ids}' already: name another for the record ids.")
        write_parquet(self.frame.withColumnRenamed(ID, ids), target)

    def release_parquet(self, target: str, draws: Draws | None = None, order: Order = "records") -> pl.DataFrame:
        """Write what may leave: no identifiers, no ids, new household numbers, random order."""
        from ammg.engines.spark.write import release_parquet

        return release_parquet(self, target, draws or Draws(Secret.of(None)), order)

    def dictionary(self, name: str) -> tuple[object, ...]:
        """From the data as they were read: few enough for the driver if the column is categorical."""
        if self.original.streamed is None:
            return self.original.dictionary(name)
        if isinstance(dtype := self.table.schema[name], pl.Enum):
            return categories_of(pl.Series(dtype=dtype))
        return categories_of(self.table.distinct(name))


class _Records(Summary[int, int]):
    """The number of records."""

    columns = ()

    def add(self, block: Block) -> int:
        return len(block)

    def merge(self, left: int, right: int) -> int:
        return left + right

    def finish(self, state: int | None) -> int:
        return state or 0
