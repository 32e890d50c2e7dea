"""Measures over records that are not in memory: what adds up is folded, the rest reads the records and says so."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from functools import cached_property, partial, reduce

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.block import Block
from ammg.data.columns.store import Kept
from ammg.data.encoding import ID, to_block
from ammg.data.microdata import Microdata
from ammg.data.pair import Again, Pair
from ammg.data.pairs.columns import differs
from ammg.data.pairs.members import SAMPLE, USED, counted_columns, some_households, told_columns, views
from ammg.data.published import Published, Simulated
from ammg.data.records import ReleasedInPlace
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
    """What a measure finds, in the part of the file that it is asked for; of a stream it folds chunks if it can.

    A risk is the largest over intruders who see more than the columns: who recognise artificial records, and who count
    the members of households.
    """
    if isinstance(measure, Loss) and looks_at_a_part(measure):
        return measured_in_parts(measure, pair, scenario, measured)
    if not isinstance(measure, Risk):
        found = _folded(measure, pair, scenario)
        return measure.measure(pair, scenario) if found is None else found
    doubted = not measure.mixes_simulated and _hides(pair)
    told = isinstance(pair, StreamedPair) and pair.told_by_members
    if isinstance(pair, StreamedPair) and told:
        why = f"the number of released members reveals {', '.join(told)}"
        if isinstance(pair.source, ReleasedInPlace):
            raise NotDefined(f"{why}: drop the household number, or measure a part of the records in memory")
        _warn(pair, f"{why}, so that {measure.name} cannot")
    found = None if doubted or told else _folded(measure, pair, scenario)
    if found is not None:
        return found
    return _largest(measure, pair, scenario, (pair, pair.without_simulated()) if doubted else (pair,))


def _folded(measure: Measure, pair: Pair, scenario: Scenario) -> Measurement | None:
    """What a measure that adds up finds in a stream; None for other measures, and for files in memory."""
    if not isinstance(pair, FoldedPair):
        return None
    found = measure.fold(pair, scenario)
    if found is None:
        _warn(pair, f"{measure.name} cannot")
    return found


def _warn(pair: Pair, why: str) -> None:
    if pair.n > _MANY:
        warnings.warn(
            f"{why} be computed chunk by chunk and loads all {pair.n:,} records into memory: leave it out, or "
            "measure a part of the file.",
            DataWarning,
            stacklevel=6,
        )


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


def seen_by_intruders(pair: Pair) -> tuple[Pair, ...]:
    """The files as released and, where the number of members of a household tells masked columns, as it tells them."""
    if isinstance(pair, StreamedPair) and not pair.told_by_members:
        return (pair,)
    return views(pair)


def _largest(measure: Measure, pair: Pair, scenario: Scenario, released: tuple[Pair, ...]) -> Measurement:
    """The largest risk: artificial records and copies are among the others or recognised, members are counted or not.

    Raises:
        NotDefined: no intruder can find anything.
    """
    found: list[Measurement] = []
    reasons: list[NotDefined] = []
    for files in released:
        for files_seen in seen_by_intruders(files):
            try:
                one = measure.measure(files_seen, scenario)
            except NotDefined as reason:
                reasons.append(reason)
                continue
            facts = {} if files_seen is files else {"told_by_members": counted_columns(files)}
            found.append(replace(one, facts={**one.facts, **facts}) if facts else one)
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
        self._made, self._coded = Kept(math.inf), Kept()

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

    @cached_property
    def told_by_members(self) -> tuple[str, ...]:
        """Masked columns that the number of released members tells, judged by some of the households."""
        source, household = self.source, self.source.schema.household
        if household is None or (source.follows(source.origin) and not source.steps_since(source.origin)):
            return ()
        names = [name for name in self.analysed() if name != household]
        look = partial(some_households, household, names, min(1.0, SAMPLE / max(self.n, 1)))
        homes = list(source.beside([household, *names], look))
        shares = told_columns(Microdata(pl.concat(homes)), household, names) if homes else {}
        told = [name for name, share in shares.items() if share >= USED]
        return tuple(name for name in told if any([*source.beside([name], partial(_is_masked, name))]))

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


def _is_masked(name: str, original: pl.DataFrame, masked: pl.DataFrame) -> bool:
    """Whether a column of a chunk was dropped, or has other values."""
    return name not in masked.columns or differs(original[name], masked[name])


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
