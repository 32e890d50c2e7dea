"""The engine of one machine: polars and numpy with threads, streaming from Parquet where the unit allows it."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import reduce
from typing import TypeVar

import polars as pl

from ammg.data.block import Block
from ammg.data.encoding import ID, categories_of, to_block
from ammg.data.microdata import Microdata
from ammg.data.parquet_table import ParquetTable
from ammg.data.schema import Schema
from ammg.draws import chunk_bounds
from ammg.engines.engine import Engine, EngineSource, PlannedStep
from ammg.methods.method import Sees
from ammg.summaries.summary import State, Summary, Value

Out = TypeVar("Out")


class LocalEngine(Engine):
    """Runs chunks in threads; the number of threads never changes a result."""

    name = "local"

    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads or os.cpu_count() or 1

    def open(self, data: Microdata) -> LocalSource:
        """In memory as it is; streamed microdata stay in their file."""
        table: pl.DataFrame | ParquetTable
        if data.streamed is not None:
            table = data.streamed
        else:
            ids = pl.int_range(len(data), dtype=pl.Int64, eager=True).alias(ID)
            table = data.table.with_columns(ids)
        return LocalSource(self, data.schema, table, next_id=len(data))

    def fold(self, source: EngineSource, summary: Summary[State, Value]) -> Value:
        """Partial results of the chunks in threads, merged from the left."""
        assert isinstance(source, LocalSource)
        columns = list(summary.columns)

        def add(frame: pl.DataFrame) -> State:
            return summary.add(to_block(frame, source.schema, columns))

        states = list(self.in_threads(add, source.chunks([ID, *columns])))
        return summary.finish(reduce(summary.merge, states) if states else None)

    def map(self, source: EngineSource, step: PlannedStep) -> LocalSource:
        """RECORD units chunk by chunk (lazily when streamed); other units see all records at once."""
        assert isinstance(source, LocalSource)
        if step.method.sees is Sees.RECORD:
            if isinstance(source.table, ParquetTable):
                return replace(source, schema=step.schema_after, pending=(*source.pending, step))
            masked = list(self.in_threads(step.apply, source.chunks()))
            table = pl.concat(masked, rechunk=False) if masked else step.apply(source.table)
        else:
            table = step.apply(source.collect())
        last = table[ID].max() if len(table) else None
        next_id = max(source.next_id, int(last) + 1 if isinstance(last, int) else 0)
        return LocalSource(self, step.schema_after, table, next_id=next_id)

    def in_threads(self, work: Callable[[pl.DataFrame], Out], frames: Iterable[pl.DataFrame]) -> Iterator[Out]:
        """Results in the order of the frames, with a bounded number of frames under way."""
        if self.threads == 1:
            yield from map(work, frames)
            return
        with ThreadPoolExecutor(self.threads) as pool:
            waiting: deque[Future[Out]] = deque()
            for frame in frames:
                waiting.append(pool.submit(work, frame))
                if len(waiting) > 2 * self.threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()


@dataclass(frozen=True)
class LocalSource(EngineSource):
    """Records in a frame, or in a Parquet file with the steps that are still to be applied to each chunk."""

    engine: LocalEngine
    schema: Schema
    table: pl.DataFrame | ParquetTable
    next_id: int
    pending: tuple[PlannedStep, ...] = ()
    condition: pl.Expr | None = None

    def count(self) -> int:
        """The number of records, read from the file's footer where nothing is pending."""
        if isinstance(self.table, pl.DataFrame):
            return self.table.height
        if not self.pending and self.condition is None:
            return self.table.height
        return sum(len(frame) for frame in self.chunks([ID]))

    def fold(self, summary: Summary[State, Value]) -> Value:
        """Add a summary up over all records."""
        return self.engine.fold(self, summary)

    def block(self, columns: tuple[str, ...]) -> Block:
        """All records at once."""
        return to_block(self.collect(), self.schema, columns)

    def chunks(self, columns: list[str] | None = None) -> Iterator[pl.DataFrame]:
        """Frames whose ids lie in one chunk of 65,536 consecutive ids."""
        if isinstance(self.table, pl.DataFrame):
            frame = self.table if columns is None else self.table.select(columns)
            for start, stop in chunk_bounds(frame[ID].to_numpy()):
                yield frame.slice(start, stop - start)
            return
        plain = not self.pending and self.condition is None and columns is not None
        wanted = [name for name in columns or [] if name != ID] if plain else None
        for frame in self.table.chunks(wanted):
            for step in self.pending:
                frame = step.apply(frame)
            if self.condition is not None:
                frame = frame.filter(self.condition)
            yield frame if columns is None else frame.select(columns)

    def collect(self) -> pl.DataFrame:
        """All records with their ids, in memory."""
        if isinstance(self.table, pl.DataFrame):
            return self.table
        frames = list(self.chunks())
        if frames:
            return pl.concat(frames)
        empty = pl.DataFrame(schema={**self.table.schema, ID: pl.Int64})
        return reduce(lambda frame, step: step.apply(frame), self.pending, empty)

    def with_schema(self, schema: Schema) -> LocalSource:
        """The same records under other attributes."""
        return replace(self, schema=schema)

    def with_categories(self, names: tuple[str, ...]) -> LocalSource:
        """The same records with dictionaries filled in, from one pass over the columns that lack one."""
        filled = []
        for name in names:
            attribute = self.schema[name]
            if attribute.is_categorical and attribute.categories is None:
                frame = self.table if isinstance(self.table, pl.DataFrame) else self.table.read([name])
                filled.append(attribute.replace(categories=categories_of(frame[name])))
        return replace(self, schema=self.schema.replace(*filled)) if filled else self

    def filter(self, condition: pl.Expr) -> LocalSource:
        """The records that meet a condition."""
        if isinstance(self.table, pl.DataFrame):
            return replace(self, table=self.table.filter(condition))
        joined = condition if self.condition is None else self.condition & condition
        return replace(self, condition=joined)
