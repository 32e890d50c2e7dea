"""Measures over records that are not in memory: what adds up is folded, the rest reads the records and says so."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cached_property, partial, reduce

import numpy as np
from numpy.typing import NDArray

from ammg.data.block import Block
from ammg.data.columns.store import Kept
from ammg.data.encoding import ID, to_block
from ammg.data.microdata import Microdata
from ammg.data.pair import Again, Pair
from ammg.data.published import Published, Simulated
from ammg.data.scenario import Scenario
from ammg.data.schema import Schema
from ammg.engines.engine import EngineSource, Passage
from ammg.errors import DataWarning, NotDefined
from ammg.measures.measure import Loss, Measure, Risk
from ammg.measures.measurement import Measurement, People
from ammg.pipeline.subpopulations import looks_at_a_part, measured_in_parts
from ammg.summaries.folded_pair import FoldedPair, PairSummary
from ammg.summaries.summary import State, Value

_MANY = 1_000_000  # records that somebody who streams them may not want in memory


def measured(measure: Measure, pair: Pair, scenario: Scenario) -> Measurement:
    """What a measure finds, in the part of the file that it is asked for; of a stream it folds chunks if it can."""
    if isinstance(measure, Loss) and looks_at_a_part(measure):
        return measured_in_parts(measure, pair, scenario, measured)
    doubted = isinstance(measure, Risk) and not measure.mixes_simulated and _hides(pair)
    if isinstance(pair, FoldedPair) and not doubted:
        found = measure.fold(pair, scenario)
        if found is not None:
            return found
        if pair.n > _MANY:
            warnings.warn(
                f"{measure.name} cannot be computed chunk by chunk and loads all {pair.n:,} records into "
                "memory: leave it out, or measure a part of the file.",
                DataWarning,
                stacklevel=4,
            )
    return _with_and_without(measure, pair, scenario) if doubted else measure.measure(pair, scenario)


def recognised(pair: Pair) -> Pair:
    """The files as an intruder sees them who recognises artificial records."""
    return pair.without_simulated() if _hides(pair) else pair


def _hides(pair: Pair) -> bool:
    """Whether artificial records, or several records of one person, make people look less rare than they are.

    Whether a description says so does not matter. Of a stream it is asked first, for it must be read to be sure.
    """
    if not pair.is_linked:
        return False
    if isinstance(pair, FoldedPair) and pair.t <= pair.n and not _told(pair):
        return False
    return pair.r < pair.t or pair.has_copies


def _told(pair: Pair) -> bool:
    return any(isinstance(fact, Simulated) for fact in pair.published)


def _with_and_without(measure: Measure, pair: Pair, scenario: Scenario) -> Measurement:
    """The larger risk of two intruders: artificial records and copies are among the others, or recognised."""
    found: list[Measurement] = []
    reasons: list[NotDefined] = []
    for files in (pair, pair.without_simulated()):
        try:
            found.append(measure.measure(files, scenario))
        except NotDefined as reason:
            reasons.append(reason)
    if not found:
        raise reasons[0]
    larger = max(found, key=lambda measurement: measurement.value or 0.0)
    by_record = larger.people.by_record
    if by_record is None or len(by_record) == pair.t:
        return larger
    alone = pair.without_simulated()
    of_person = np.zeros(pair.n)
    of_person[alone.link] = by_record
    everybody = np.where(pair.link >= 0, of_person[pair.link], 0.0)
    return replace(larger, people=People(everybody, **larger.people.examples))


class StreamedPair(FoldedPair):
    """A stream beside what becomes of it. The masked records are read only for a measure that does not add up."""

    def __init__(
        self, original: Microdata, source: EngineSource, published: tuple[Published, ...], again: Again | None = None
    ) -> None:
        self.original, self.source, self.published, self.again = original, source, published, again
        self._made, self._coded = {}, Kept()

    @property
    def t(self) -> int:
        """Records after masking."""
        return self.source.count()

    @cached_property
    def r(self) -> int:
        """Masked records that stand for a real one."""
        return self.fold(_Real(self.n))

    @property
    def is_linked(self) -> bool:
        """Always: records keep their ids."""
        return True

    @property
    def released_schema(self) -> Schema:
        """The attributes of the masked file."""
        return self.source.schema

    @cached_property
    def masked(self) -> Microdata:  # type: ignore[override]
        """The masked records in memory."""
        return Microdata(self.source.collect().drop(ID), self.source.schema)

    @cached_property
    def _link(self) -> NDArray[np.int64]:  # type: ignore[override]
        ids = np.concatenate([np.zeros(0, np.int64), *(f[ID].to_numpy() for f in self.source.chunks([]))])
        return np.where(ids < self.n, ids, -1)

    def unmasked(self) -> Pair:
        """The stream beside itself."""
        return StreamedPair(self.original, self.source.origin, ())

    def fold(self, summary: PairSummary[State, Value]) -> Value:
        """Add up over the chunks of the stream and what becomes of them."""
        source = self.source.with_categories(summary.released)
        origin = self.source.origin.with_categories(summary.original)
        columns = tuple(dict.fromkeys((*summary.original, *summary.released)))
        states = source.along([origin, source], columns, partial(_added, summary, origin.schema, source.schema))
        first = next(states, None)
        return summary.finish(None if first is None else reduce(summary.merge, states, first))


def _added(summary: PairSummary[State, Value], original: Schema, released: Schema, passages: list[Passage]) -> State:
    """The partial result of a chunk; it travels to workers, so nothing of the engine goes with it."""
    ((before, after, _),) = passages
    return summary.add(to_block(before, original, summary.original), to_block(after, released, summary.released))


class _Real(PairSummary[int, int]):
    """How many masked records stand for one of the first so many originals."""

    def __init__(self, originals: int) -> None:
        self.originals = originals

    def add(self, original: Block, released: Block) -> int:
        return int(np.count_nonzero(released.ids < self.originals))

    def merge(self, left: int, right: int) -> int:
        return left + right

    def finish(self, state: int | None) -> int:
        return state or 0
