"""The interface of engines, and how any of them applies a planned step to a frame."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.attribute import Attribute, Kind
from ammg.data.block import Block, Column
from ammg.data.encoding import ID, put, ticks_per_day, to_block, to_series
from ammg.data.finding import NOTHING_FOUND, Findings
from ammg.data.microdata import Microdata
from ammg.data.records import Compare
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.engines.gap import Gap
from ammg.errors import InputError
from ammg.kernels.threads import in_threads
from ammg.methods.finite import refuse_overflow
from ammg.methods.method import Method, Plan, Sees, StratifiedMethod
from ammg.methods.strata import refuse_small_strata
from ammg.summaries.summary import FileSource, State, Summary, Value

Out = TypeVar("Out")

LARGE_STRATUM = 1 << 10
"""Average records per stratum from which strata are masked in threads; below it, threads cost more than they save."""


class Passage(NamedTuple):
    """Records (or a part of them) before and after a step, with the findings of each planned step."""

    before: pl.DataFrame
    after: pl.DataFrame
    findings: tuple[Findings, ...] = ()


class Households(ABC):
    """Records by household, for steps that mask one row per household."""

    @property
    @abstractmethod
    def heads(self) -> EngineSource:
        """The first member of each household."""

    @abstractmethod
    def varying(self, name: str) -> pl.Series:
        """The households whose members differ in a column."""

    @abstractmethod
    def meeting(self, condition: pl.Expr) -> tuple[pl.Expr, pl.Series]:
        """The condition that a member's household meets one, and the households in which only some members do."""

    @abstractmethod
    def joined(self, heads: EngineSource, written: Sequence[str], dropped: Sequence[str]) -> EngineSource:
        """All members with the masked values of their heads; members of dropped households are dropped.

        A written weight is rescaled by the same factor for every member.
        """


class EngineSource(FileSource):
    """A source that an engine can map, collect and restrict."""

    findings: Findings = NOTHING_FOUND
    """Findings of the step that made these records; empty while it has not been applied."""

    @property
    @abstractmethod
    def in_memory(self) -> bool:
        """Whether the records are already a frame of this process."""

    @property
    @abstractmethod
    def types(self) -> pl.Schema:
        """The types of the records, ids included."""

    @abstractmethod
    def with_schema(self, schema: Schema) -> EngineSource:
        """The same records with a different schema."""

    @abstractmethod
    def dictionary(self, name: str) -> tuple[object, ...]:
        """The categories of a column of the data as read, so that dropping records does not change codes."""

    def with_categories(self, names: tuple[str, ...]) -> EngineSource:
        """The same records with the dictionaries and date units of the named columns filled in."""
        filled = [
            attribute.replace(categories=self.dictionary(attribute.name))
            for attribute in map(self.schema.__getitem__, names)
            if attribute.is_categorical and attribute.categories is None
        ]
        filled += [
            attribute.replace(ticks_per_day=ticks_per_day(self.types[attribute.name]))
            for attribute in map(self.schema.__getitem__, names)
            if attribute.kind is Kind.DATE and self.types[attribute.name].is_temporal()
        ]
        return self.with_schema(self.schema.replace(*filled)) if filled else self

    @abstractmethod
    def filter(self, condition: pl.Expr) -> EngineSource:
        """The records that meet a condition."""

    @abstractmethod
    def collect(self) -> pl.DataFrame:
        """All records with their ids, in memory."""

    @abstractmethod
    def head(self, rows: int) -> pl.DataFrame:
        """The first `rows` records as masked, with their ids."""

    @abstractmethod
    def chunks(self, columns: list[str] | None = None) -> Iterator[pl.DataFrame]:
        """Records with their ids, at most 65,536 at a time, in the order of the ids."""

    @abstractmethod
    def beside(self, columns: Sequence[str], compare: Compare[Out]) -> Iterator[Out]:
        """Results of `compare(original, masked)` on some columns of each chunk of records that are not in memory."""

    @property
    @abstractmethod
    def origin(self) -> EngineSource:
        """The records as read, for a source that is not in memory."""

    @abstractmethod
    def follows(self, earlier: EngineSource) -> bool:
        """Whether this source is an earlier one plus stages that have not been applied."""

    @abstractmethod
    def steps_since(self, earlier: EngineSource) -> tuple[PlannedStep, ...]:
        """The planned steps between an earlier source and this one that have not been applied yet."""

    @abstractmethod
    def along(
        self, stops: Sequence[EngineSource], columns: Sequence[str], work: Callable[[list[Passage]], Out]
    ) -> Iterator[Out]:
        """Results of `work` on the records from stop to stop; the last stop is this source.

        One pass over chunks in the order of the ids; `columns` are those that `work` needs.
        """

    @abstractmethod
    def judged(self, judge: Callable[[pl.DataFrame], NDArray[np.bool_]]) -> pl.Expr:
        """The condition that selects the records chosen by a judge of the whole file."""

    @abstractmethod
    def by_household(self, household: str) -> Households:
        """The records by household."""


class Engine(ABC):
    """Runs summaries and planned methods."""

    name: ClassVar[str]

    @classmethod
    def gap(cls, method: type[Method]) -> Gap | None:
        """Why this engine does not run a method, or None if it does."""
        return None

    def check(self, method: Method, schema: Schema) -> None:
        """Refuse a method that this engine does not run, before any work is done."""
        gap = self.gap(type(method))
        if gap is not None and not (method.sees is Sees.STRATUM and gap.unless and method.strata(schema)):
            said = gap.words.format(engine=self.name)
            raise InputError(f"{method.name} {said}: {gap.reason}. Run it with LocalEngine.")

    @abstractmethod
    def open(self, data: Microdata) -> EngineSource:
        """Bind microdata to this engine."""

    @abstractmethod
    def fold(self, source: EngineSource, summary: Summary[State, Value]) -> Value:
        """Compute a summary over all records."""

    @abstractmethod
    def map(self, source: EngineSource, step: PlannedStep) -> EngineSource:
        """Apply a planned method to all records."""


@dataclass(frozen=True)
class PlannedStep:
    """A method with its plan, ready to be applied to frames that contain all records it must see at once."""

    method: Method
    plan: Plan
    draws: Draws
    schema: Schema
    """All attributes before the step, with the categories that the step needs."""
    where: pl.Expr | None = None
    followers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Columns linked to a masked one."""

    @property
    def schema_after(self) -> Schema:
        """All attributes after the step."""
        return self.schema.replace(*self.plan.schema).drop(self.plan.dropped)

    def reads(self, wanted: set[str]) -> set[str]:
        """The columns that a frame needs so that the masked frame contains `wanted`."""
        used = {*self.method.needs(self.schema), *self.method.strata(self.schema), *self.plan.schema.names, *wanted}
        if self.where is not None:
            used.update(self.where.meta.root_names())
        if self.method.post_edit is not None:
            used.update(name for rule in self.schema.rules for name in rule.columns)
        return {name for name in used if name in self.schema}

    def apply(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Mask a frame that carries record ids; records stay in the order of their ids."""
        return self.mask(frame)[0]

    def mask(self, frame: pl.DataFrame, block: Block | None = None) -> tuple[pl.DataFrame, Findings]:
        """The masked frame, and the method's findings about it.

        `block` are the columns that the method needs, if they are already encoded.
        """
        chosen = None if self.where is None else _chosen(frame, self.where)
        part = frame if chosen is None else frame.filter(chosen)
        masked = self._mask(part, block)
        result, findings = self._written(part, masked), masked.findings
        if self.method.post_edit is not None:
            from ammg.engines.post_editing import post_edited

            result, outcome = post_edited(self, part, result)
            findings = findings + Findings((outcome,)) if outcome else findings
        if chosen is not None:
            rest = frame.filter(~chosen).drop(self.plan.dropped, strict=False)
            rest = rest.cast({name: dtype for name, dtype in result.schema.items() if rest.schema[name] != dtype})
            result = pl.concat([rest, result.select(rest.columns)]).sort(ID)
        return result, findings

    def redrawn(self, frame: pl.DataFrame, attempt: int) -> pl.DataFrame:
        """Some records masked again with other random numbers, for a step that sees single records."""
        again = replace(self, draws=self.draws.at("redraw", attempt))
        return again._written(frame, again._mask(frame))

    def chooses_any(self, frame: pl.DataFrame) -> bool:
        """Whether the step applies to any record of a frame."""
        return bool(len(frame)) if self.where is None else bool(_chosen(frame, self.where).any())

    def _mask(self, frame: pl.DataFrame, block: Block | None = None) -> Block:
        if block is None:
            block = to_block(frame, self.schema, self.method.needs(self.schema))
        with np.errstate(over="ignore", invalid="ignore"):  # non-finite results are refused later, naming the column
            masked = self._mask_strata(frame, block)
        refuse_overflow(self.method, self.plan, block, masked)
        return masked

    def _mask_strata(self, frame: pl.DataFrame, block: Block) -> Block:
        strata = self.method.strata(self.schema)
        if not strata or not len(frame):
            self._refuse_few(block, [np.arange(len(block))])
            return self.method.mask(block, self.plan, self.draws)
        groups = frame.select(strata).with_row_index("__row__").group_by(strata, maintain_order=True).agg("__row__")
        labels = groups.select(
            pl.concat_str(pl.col(strata).cast(pl.String).fill_null("∅"), separator="\x1f")
        ).to_series()
        positions = [np.sort(rows.to_numpy().astype(np.int64)) for rows in groups["__row__"]]
        self._refuse_few(block, positions)

        def masked(number: int) -> Block:
            draws = self.draws.at("stratum", labels[number])
            return self.method.mask(block.take(positions[number]), self.plan, draws)

        are_large = len(block) >= LARGE_STRATUM * len(positions)
        values = len(block) * len(block.columns) if are_large else 0
        return _joined(in_threads(masked, range(len(positions)), values, brief=False), positions)

    def _refuse_few(self, block: Block, positions: list[NDArray[np.int64]]) -> None:
        if isinstance(self.method, StratifiedMethod):
            names = [name for name in self.plan.schema.names if name in block.columns]
            refuse_small_strata(self.method, names, block, positions)

    def _refuse_copies(self, ids: NDArray[np.int64]) -> None:
        """Refuse two records with the same id: measures that count look-alikes would miss one of them."""
        ascending = np.diff(ids) > 0
        if not ascending.all():
            raise InputError(
                f"Record {ids[1:][~ascending][0]} was returned twice or out of order: records keep their ids, in "
                "ascending order, and artificial records get the next ids."
            )

    def _written(self, frame: pl.DataFrame, masked: Block) -> pl.DataFrame:
        before = frame[ID].to_numpy()
        if len(before) != len(masked.ids) or not np.array_equal(before, masked.ids):
            self._refuse_copies(masked.ids)
            frame = _rows_for(frame, masked.ids)
        attributes = list(self.plan.schema)
        series = in_threads(
            lambda attribute: _column(attribute, frame, masked), attributes, len(frame) * len(attributes)
        )
        for leader, names in self.followers.items():
            present = [name for name in names if name in frame.columns]
            series.extend(_followed(frame, masked, leader, present))
        written = put(frame, series)
        return written.drop(self.plan.dropped, strict=False) if self.plan.dropped else written


def _column(attribute: Attribute, frame: pl.DataFrame, masked: Block) -> pl.Series:
    """A column as it leaves the step; numbers that only changed places are copied exactly."""
    name = attribute.name
    if name not in frame.columns:
        return to_series(name, masked[name], attribute, None)
    if attribute.is_numeric and name in masked.moves:
        return frame[name].gather(masked.moves[name])
    return to_series(name, masked[name], attribute, frame.schema[name], frame[name])


def _chosen(frame: pl.DataFrame, where: pl.Expr) -> pl.Series:
    return frame.select(where.fill_null(False).alias("chosen")).to_series()


def _rows_for(frame: pl.DataFrame, ids: NDArray[np.int64]) -> pl.DataFrame:
    """The frame's rows for `ids`; unknown ids become rows of missing values."""
    wanted = pl.DataFrame({ID: ids})
    return wanted.join(frame, on=ID, how="left", maintain_order="left").select(frame.columns)


def _joined(parts: list[Block], positions: list[NDArray[np.int64]]) -> Block:
    ids = np.concatenate([part.ids for part in parts])
    order = np.argsort(ids, kind="stable")
    columns: dict[str, Column] = {
        name: np.concatenate([part[name] for part in parts])[order] for name in parts[0].columns
    }
    moves = {
        name: np.concatenate([rows[part.moves[name]] for part, rows in zip(parts, positions, strict=True)])[order]
        for name in parts[0].moves
    }
    findings = Findings.of(finding for part in parts for finding in part.findings.found)
    return Block(ids[order], columns, parts[0].schema, moves, findings)


def _followed(frame: pl.DataFrame, masked: Block, leader: str, names: list[str]) -> list[pl.Series]:
    if leader in masked.moves:
        return [frame[name].gather(masked.moves[leader]) for name in names]
    gone = pl.Series(masked.is_missing(leader))
    return [frame.select(pl.when(~gone).then(pl.col(name)).alias(name)).to_series() for name in names]
