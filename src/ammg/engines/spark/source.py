"""Records on Spark with the stages still to be applied."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.block import Block
from ammg.data.encoding import ID, categories_of, to_block
from ammg.data.finding import NOTHING_FOUND, Findings
from ammg.data.microdata import Microdata
from ammg.data.records import Compare, Preparation
from ammg.data.schema import Schema
from ammg.engines.engine import EngineSource, Households, Out, Passage, PlannedStep
from ammg.engines.pending import NOTHING, Pending, aligned, passages, side_by_side, ways_between
from ammg.engines.spark.table import SparkTable, not_here
from ammg.engines.spark.types import from_arrow
from ammg.engines.spark.work import map_frames, paired_results, worker_errors
from ammg.errors import InputError
from ammg.summaries.summary import State, Summary, Value

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from ammg.engines.spark.engine import SparkEngine


@dataclass(frozen=True, eq=False)
class SparkSource(EngineSource):
    """A numbered Spark frame and the stages still to be applied to its records, all in one pass."""

    engine: SparkEngine
    schema: Schema
    table: SparkTable
    original: Microdata
    pending: Pending = NOTHING
    read: SparkTable | None = None
    """The table as read, if the current table is the result of a step."""
    findings: Findings = NOTHING_FOUND

    @property
    def first(self) -> SparkTable:
        """The records as read."""
        return self.table if self.read is None else self.read

    @property
    def next_id(self) -> int:  # type: ignore[override]
        """The first id that no record has had."""
        return self.first.height

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
        """The masked records with their ids as a Spark frame, for further work in Spark."""
        return self._mapped(self.table.frame)

    def _mapped(self, frame: DataFrame) -> DataFrame:
        return map_frames(frame, {**self.table.schema, ID: pl.Int64()}, self.pending.apply)

    def head(self, rows: int) -> pl.DataFrame:
        """The first `rows` records as masked: few enough for this machine if `rows` is small."""
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
        """Compute a summary over all records."""
        return self.engine.fold(self, summary)

    def states(self, summary: Summary[State, Value]) -> list[State]:
        """The summary's partial results by chunk, computed by the workers from the columns it needs."""
        schema, pending = self.schema, self.pending

        def state(frame: pl.DataFrame) -> State | None:
            records = pending.apply(frame)
            return summary.add(to_block(records, schema, summary.columns)) if len(records) else None

        return self.table.results(pending.reads(summary.columns), state)

    def beside(self, columns: Sequence[str], compare: Compare[Out]) -> Iterator[Out]:
        """Compare the records as read with the masked ones, on the workers, chunk by chunk."""
        pending = self.pending
        if self.read is not None:
            return self.along([self.origin, self], columns, lambda found: compare(*aligned(*found[0][:2], columns)))

        def compared(frame: pl.DataFrame) -> Out:
            return compare(*side_by_side(frame, pending, columns))

        return iter(self.table.results(pending.reads(columns) | set(columns), compared))

    @property
    def origin(self) -> SparkSource:
        """The frame without pending stages."""
        return replace(self, schema=self.original.schema, table=self.first, pending=NOTHING, read=None)

    def follows(self, earlier: EngineSource) -> bool:
        """Whether both are the same frame with stages still to be applied."""
        return isinstance(earlier, SparkSource) and self.table is earlier.table

    def steps_since(self, earlier: EngineSource) -> tuple[PlannedStep, ...]:
        """The steps that have not been applied to any record."""
        return self.pending.since(earlier.pending).steps if isinstance(earlier, SparkSource) else ()

    def along(
        self, stops: Sequence[EngineSource], columns: Sequence[str], work: Callable[[list[Passage]], Out]
    ) -> Iterator[Out]:
        """Chunk by chunk, by the workers."""
        before = stops[0]
        assert isinstance(before, SparkSource)
        if not self.follows(before):
            return iter(paired_results(before, self, columns, lambda *frames: work([Passage(*frames)])))
        ways = ways_between([stop.pending for stop in stops if isinstance(stop, SparkSource)])
        wanted = self.pending.reads(columns) | set(columns)
        return iter(self.table.results(wanted, lambda frame: work(passages(frame, ways))))

    def judged(self, judge: Callable[[pl.DataFrame], NDArray[np.bool_]]) -> pl.Expr:
        """Refuse: no worker holds all records at once."""
        raise InputError(
            "A condition on the risk of records does not run on spark yet: it needs all records at once. Use a "
            "condition on columns, or LocalEngine."
        )

    def by_household(self, household: str) -> Households:
        """Refuse: members may be on several workers."""
        raise InputError("Steps on households do not run on spark yet: they need all members at once.")

    def then(self, step: PlannedStep) -> SparkSource:
        """The records after one more step."""
        pending = self.pending.then(step)
        return replace(self, schema=step.schema_after, pending=pending, findings=NOTHING_FOUND)

    def with_schema(self, schema: Schema) -> SparkSource:
        """The same records with a different schema."""
        return replace(self, schema=schema)

    def filter(self, condition: pl.Expr) -> SparkSource:
        """The records that meet a condition."""
        return replace(self, pending=self.pending.then(condition))

    def block(self, columns: tuple[str, ...]) -> Block:
        """Refuse: no worker holds all records at once."""
        not_here()

    def collect(self) -> pl.DataFrame:
        """Refuse: use `write_parquet`, or `to_polars` to collect the records deliberately."""
        not_here()

    def chunks(self, columns: list[str] | None = None) -> Iterator[pl.DataFrame]:
        """Refuse: use `write_parquet`, or `to_polars` to collect the records deliberately."""
        not_here()

    def to_polars(self) -> pl.DataFrame:
        """Collect all records with their ids on this machine, at the caller's request."""
        with worker_errors():
            return from_arrow(self.frame.toArrow(), self.types)

    def write_parquet(self, target: str, ids: str = "record") -> None:
        """Write the masked records with their ids, identifiers included: for the owner, not for release."""
        from ammg.engines.spark.write import write_parquet

        if ids in self.schema:
            raise InputError(f"A column '{ids}' already exists: choose another name for the record ids.")
        write_parquet(self.frame.withColumnRenamed(ID, ids), target)

    def release_parquet(self, target: str, leaving: Preparation) -> pl.DataFrame:
        """Write the release: no identifiers, no ids, new household numbers, random order."""
        from ammg.engines.spark.write import release_parquet

        return release_parquet(self, target, leaving)

    def release_ids(self, leaving: Preparation) -> Iterator[NDArray[np.int64]]:
        """The ids in the order of the release, one partition at a time on this machine."""
        from ammg.engines.spark.write import release_ids

        return release_ids(self, leaving)

    def dictionary(self, name: str) -> tuple[object, ...]:
        """From the data as read: few enough values for the driver if the column is categorical."""
        if self.original.streamed is None:
            return self.original.dictionary(name)
        table = self.first if name in self.first.schema else self.table
        if isinstance(dtype := table.schema[name], pl.Enum):
            return categories_of(pl.Series(dtype=dtype))
        return categories_of(table.distinct(name))


class _Records(Summary[int, int]):
    """The number of records."""

    columns = ()

    def add(self, block: Block) -> int:
        return len(block)

    def merge(self, left: int, right: int) -> int:
        return left + right

    def finish(self, state: int | None) -> int:
        return state or 0
