"""The engine of one machine: polars and numpy with threads, streaming from Parquet where the unit allows it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import chain, islice, takewhile
from typing import ClassVar, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.block import Block
from ammg.data.encoding import ID, categories_of, put, taken, to_block
from ammg.data.finding import NOTHING_FOUND, Findings
from ammg.data.microdata import Microdata
from ammg.data.records import Compare
from ammg.data.schema import Schema
from ammg.data.streamed_table import StreamedTable
from ammg.draws import chunk_bounds
from ammg.engines.engine import Engine, EngineSource, Households, Out, Passage, PlannedStep
from ammg.engines.pending import NOTHING, Pending, passages, side_by_side, ways_between
from ammg.errors import InputError
from ammg.kernels.threads import in_threads, mark_as_worker, processors
from ammg.methods.method import Sees
from ammg.progress import ticking
from ammg.summaries.summary import State, Summary, Value

Part = TypeVar("Part")


class LocalEngine(Engine):
    """Runs chunks in threads; the number of threads never changes a result."""

    name: ClassVar[str] = "local"

    def __init__(self, threads: int | None = None) -> None:
        if threads is not None and threads < 1:
            raise InputError(f"The engine has {threads} threads: give 1 or more.")
        self.threads = threads or processors()

    def open(self, data: Microdata) -> LocalSource:
        """Bind microdata: those in memory as they are, streamed ones stay in their file."""
        table: pl.DataFrame | StreamedTable
        if data.streamed is not None:
            table = data.streamed
        else:
            ids = pl.int_range(len(data), dtype=pl.Int64, eager=True).alias(ID)
            table = put(data.table, [ids])
        return LocalSource(self, data.schema, table, next_id=len(data), original=data, as_opened=True)

    def fold(self, source: EngineSource, summary: Summary[State, Value]) -> Value:
        """Compute partial results of chunks in threads and merge them from the left."""
        assert isinstance(source, LocalSource)

        def add(frame: pl.DataFrame) -> State:
            return summary.add(to_block(frame, source.schema, summary.columns))

        parts = source.encoded(summary.columns)
        states = source.each(add, list(summary.columns)) if parts is None else self.in_threads(summary.add, parts)
        first = next(states, None)
        return summary.finish(None if first is None else reduce(summary.merge, states, first))

    def map(self, source: EngineSource, step: PlannedStep) -> LocalSource:
        """RECORD units chunk by chunk (lazily when streamed); other units see all records at once."""
        assert isinstance(source, LocalSource)
        if step.method.sees is Sees.RECORD:
            if isinstance(source.table, StreamedTable):
                return replace(
                    source, schema=step.schema_after, pending=source.pending.then(step), findings=NOTHING_FOUND
                )
            masked = self._masked(source, source.table, step) or [step.mask(source.table)]
            table = _joined(source.table, [frame for frame, _ in masked], step)
            findings = Findings.of(finding for _, found in masked for finding in found.found)
        else:
            table, findings = step.mask(source.collect())
        last = table[ID].max() if len(table) else None
        next_id = max(source.next_id, int(last) + 1 if isinstance(last, int) else 0)
        return LocalSource(self, step.schema_after, table, next_id, original=source.original, findings=findings)

    def _masked(
        self, source: LocalSource, table: pl.DataFrame, step: PlannedStep
    ) -> list[tuple[pl.DataFrame, Findings]]:
        """The chunks of a frame after a RECORD step."""
        parts = source.encoded(step.method.needs(step.schema)) if step.where is None else None
        if parts is None:
            return list(source.each(step.mask))

        def mask(part: Block) -> tuple[pl.DataFrame, Findings]:
            return step.mask(table.slice(int(part.ids[0]), len(part)), part)

        return list(self.in_threads(mask, parts))

    def in_threads(self, work: Callable[[Part], Out], parts: Iterable[Part]) -> Iterator[Out]:
        """Results in the order of the parts, with a bounded number of parts in progress."""
        parts = iter(parts)
        few = list(islice(parts, 2))
        if self.threads == 1 or len(few) < 2:  # starting a thread costs more than a small part
            yield from map(work, chain(few, parts))
            return
        pool = ThreadPoolExecutor(self.threads, initializer=mark_as_worker)
        try:
            waiting: deque[Future[Out]] = deque()
            for part in chain(few, parts):
                waiting.append(pool.submit(work, part))
                if len(waiting) > 2 * self.threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:  # after an error, or if the caller stops, parts not yet started are cancelled
            pool.shutdown(cancel_futures=True)


def _joined(before: pl.DataFrame, parts: list[pl.DataFrame], step: PlannedStep) -> pl.DataFrame:
    """Masked chunks as one frame; it shares the columns that the step did not write, unless records left."""
    table = pl.concat(parts, rechunk=False)
    is_shared = step.method.post_edit is None and table[ID].equals(before[ID])
    written = {*step.plan.schema.names, *chain.from_iterable(step.followers.values())}
    kept = {name for name in before.columns if is_shared and name not in written}
    made = [name for name in table.columns if name not in kept]
    whole = dict(zip(made, in_threads(lambda name: table[name].rechunk(), made, table.height * len(made)), strict=True))
    return pl.DataFrame([before[name] if name in kept else whole[name] for name in table.columns])


@dataclass(frozen=True, eq=False)
class LocalSource(EngineSource):
    """Records in a frame, or in a file with the stages still to be applied to each chunk."""

    engine: LocalEngine
    schema: Schema
    table: pl.DataFrame | StreamedTable
    next_id: int
    pending: Pending = NOTHING
    original: Microdata | None = None
    """The microdata that were opened: dictionaries are those of the data as read."""
    findings: Findings = NOTHING_FOUND
    as_opened: bool = False
    """Whether these are the opened records, complete and unchanged."""

    @property
    def in_memory(self) -> bool:
        """Whether the records are already a frame."""
        return isinstance(self.table, pl.DataFrame)

    @property
    def types(self) -> pl.Schema:
        """The types of the records, ids included."""
        return self.table.schema if isinstance(self.table, pl.DataFrame) else self._nothing().schema

    def count(self) -> int:
        """The number of records, from the file's footer if no stage is pending."""
        return self._count

    @cached_property
    def _count(self) -> int:
        return sum(self.each(len, [])) if self.pending else self.table.height

    def fold(self, summary: Summary[State, Value]) -> Value:
        """Compute a summary over all records."""
        return self.engine.fold(self, summary)

    def block(self, columns: tuple[str, ...]) -> Block:
        """All records at once."""
        if (kept := self._kept(columns)) is not None:
            return kept
        frame = self.table if isinstance(self.table, pl.DataFrame) else self._together(list(columns))
        return to_block(frame, self.schema, columns)

    def chunks(self, columns: list[str] | None = None) -> Iterator[pl.DataFrame]:
        """Frames whose ids lie in one chunk of 65,536 consecutive ids; none is empty."""
        return self.each(lambda frame: frame if columns is None else frame.select(ID, *columns), columns)

    def each(self, work: Callable[[pl.DataFrame], Out], columns: list[str] | None = None) -> Iterator[Out]:
        """Do `work` on the chunks in threads, after pending stages; results come in the order of the chunks."""

        def prepared(frame: pl.DataFrame) -> list[Out]:
            frame = self.pending.apply(frame)
            return [work(frame)] if len(frame) else []

        for results in self.engine.in_threads(prepared, self._raw(columns)):
            yield from results

    def encoded(self, columns: Iterable[str]) -> Iterator[Block] | None:
        """Chunks of columns that the microdata keep encoded; None if they do not."""
        block = self._kept(columns)
        if block is None:
            return None
        return ticking((block.part(start, stop) for start, stop in chunk_bounds(block.ids)), len(block))

    def _kept(self, columns: Iterable[str]) -> Block | None:
        """Columns as kept by the microdata; None if records changed, are not in memory or are too many."""
        schema = Schema(tuple(map(self.schema.__getitem__, columns)))
        if not self.as_opened or self.original is None or not self.original.can_keep(len(schema)):
            return None
        return self.original.encoded(schema)

    def beside(self, columns: Sequence[str], compare: Compare[Out]) -> Iterator[Out]:
        """Compare the records as read with the masked ones, chunk by chunk."""
        assert isinstance(self.table, StreamedTable), "records in memory are compared directly"

        def compared(frame: pl.DataFrame) -> Out:
            return compare(*side_by_side(frame, self.pending, columns))

        return self.engine.in_threads(compared, self._raw(list(columns)))

    @property
    def origin(self) -> LocalSource:
        """The file without pending stages."""
        assert isinstance(self.table, StreamedTable), "records in memory do not keep their origin"
        assert self.original is not None, "a stream is opened from microdata"
        return replace(self, schema=self.original.schema, pending=NOTHING)

    def follows(self, earlier: EngineSource) -> bool:
        """Whether both are the same file with stages still to be applied."""
        return isinstance(earlier, LocalSource) and not self.in_memory and self.table is earlier.table

    def steps_since(self, earlier: EngineSource) -> tuple[PlannedStep, ...]:
        """The steps that have not been applied to any chunk."""
        return self.pending.since(earlier.pending).steps if isinstance(earlier, LocalSource) else ()

    def along(
        self, stops: Sequence[EngineSource], columns: Sequence[str], work: Callable[[list[Passage]], Out]
    ) -> Iterator[Out]:
        """All records at once if they are in memory; a stream chunk by chunk."""
        local = [stop for stop in stops if isinstance(stop, LocalSource)]
        if isinstance(self.table, StreamedTable):
            ways = ways_between([stop.pending for stop in local])
            wanted = list(self.pending.reads(columns) | set(columns))
            return self.engine.in_threads(lambda frame: work(passages(frame, ways)), self._raw(wanted))
        before, table = local[0], self.table
        if isinstance(before.table, pl.DataFrame):
            return iter([work([Passage(before.table, table)])])
        ids = table[ID].to_numpy()

        def compared(frame: pl.DataFrame) -> Out:
            first, last = np.searchsorted(ids, frame[ID][0]), np.searchsorted(ids, frame[ID][-1], side="right")
            return work([Passage(frame, table[int(first) : int(last)])])

        added = table.filter(pl.col(ID) >= before.next_id)
        rest = [work([Passage(added.clear(), added)])] if len(added) else []
        return chain(before.each(compared, [name for name in columns if name in before.schema]), rest)

    def judged(self, judge: Callable[[pl.DataFrame], NDArray[np.bool_]]) -> pl.Expr:
        """By their ids."""
        frame = self.collect()
        return pl.col(ID).is_in(frame[ID].filter(pl.Series(judge(frame), dtype=pl.Boolean)).implode())

    def by_household(self, household: str) -> Households:
        """All members at once, in memory."""
        from ammg.engines.local_households import LocalHouseholds

        return LocalHouseholds(self, household)

    def collect(self) -> pl.DataFrame:
        """All records with their ids, in memory."""
        return self.table if isinstance(self.table, pl.DataFrame) else self._together(None)

    def head(self, rows: int) -> pl.DataFrame:
        """The first `rows` records as masked; a stream is not read further."""
        first = pl.col(ID) < rows
        if isinstance(self.table, pl.DataFrame):
            return self.table.filter(first)
        frames = list(takewhile(lambda frame: int(frame[ID][0]) < rows, self.chunks()))
        return (pl.concat(frames) if frames else self._nothing()).filter(first)

    def with_schema(self, schema: Schema) -> LocalSource:
        """The same records with a different schema."""
        return replace(self, schema=schema)

    def filter(self, condition: pl.Expr) -> LocalSource:
        """The records that meet a condition."""
        if isinstance(self.table, pl.DataFrame):
            return replace(self, table=self.table.filter(condition), as_opened=False)
        return replace(self, pending=self.pending.then(condition))

    def dictionary(self, name: str) -> tuple[object, ...]:
        """From the data as read; for columns added by a step, from the current records."""
        if self.original is not None and name in self.original.schema:
            return self.original.dictionary(name)
        return categories_of(self.table[name] if isinstance(self.table, pl.DataFrame) else self.table.distinct(name))

    def _raw(self, columns: list[str] | None) -> Iterator[pl.DataFrame]:
        if isinstance(self.table, pl.DataFrame):
            frame = self.table if columns is None else taken(self.table, [ID, *columns])
            bounds = chunk_bounds(frame[ID].to_numpy())
            yield from ticking((frame.slice(start, stop - start) for start, stop in bounds), len(frame))
            return
        wanted = None if columns is None else self.pending.reads(columns) | set(columns)
        yield from self.table.chunks([name for name in self.table.schema if wanted is None or name in wanted])

    def _together(self, columns: list[str] | None) -> pl.DataFrame:
        frames = list(self.chunks(columns))
        if frames:
            return pl.concat(frames)
        return self._nothing()

    def _nothing(self) -> pl.DataFrame:
        return self.pending.apply(pl.DataFrame(schema={**self.table.schema, ID: pl.Int64}))
