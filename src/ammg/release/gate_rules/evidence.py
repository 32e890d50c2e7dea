"""What the rules look at: masked records and their originals, independently of the measures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.analyzer.distinct import hashes
from ammg.data.attribute import Role
from ammg.data.encoding import ID
from ammg.data.microdata import Microdata
from ammg.data.pairs.columns import differs
from ammg.data.records import Compare, Out
from ammg.data.schema import Schema
from ammg.kernels.scaling import exponents, scaled
from ammg.kernels.threads import in_threads
from ammg.release.masking import Masking, StepRecord
from ammg.release.release import Release

_STREAMED = 200_000  # records at the head of a stream, for what needs neighbouring records together
_SAMPLE = 10_000  # records for what is quadratic in the columns

Look = Callable[["Facts", pl.DataFrame, pl.DataFrame], Any]
"""What a rule computes from one part of the records, originals and masked; picklable."""


@dataclass(frozen=True)
class Facts:
    """What is known about a masking before looking at any record."""

    before: Schema
    after: Schema
    records: int
    """Records before masking."""

    @cached_property
    def released(self) -> list[str]:
        """The released columns: all but identifiers and what is linked to them."""
        identifiers = self.after.with_role(Role.IDENTIFIER)
        return [a.name for a in self.after if a.name not in identifiers and a.linked_to not in identifiers]


class _Part(NamedTuple):
    """What one part of the records shows."""

    records: int
    changed: frozenset[str]
    original: pl.DataFrame
    masked: pl.DataFrame
    looked: dict[str, Any]


@dataclass(frozen=True, eq=False)
class Evidence:
    """A masking seen record by record; simulated records, which stand for nobody, are left out."""

    masking: Masking
    facts: Facts
    release: Release | None
    """None when the records are not in memory: their release is not made before it is written."""
    looks: Mapping[str, Look] = field(default_factory=dict)
    """What the rules want to know, by their names: all of it is found in one pass over the records."""

    @classmethod
    def of(cls, masked: Masking, release: Release, looks: Mapping[str, Look] | None = None) -> Evidence:
        """All records, wherever they are."""
        facts = Facts(masked.original.schema, masked.schema, masked.n)
        return cls(masked, facts, release if masked.source.in_memory else None, looks or {})

    @property
    def before(self) -> Schema:
        """The attributes before masking."""
        return self.facts.before

    @property
    def after(self) -> Schema:
        """The attributes after masking."""
        return self.facts.after

    @property
    def steps(self) -> tuple[StepRecord, ...]:
        """What was done."""
        return self.masking.steps

    @property
    def released(self) -> list[str]:
        """The released columns: all but identifiers and what is linked to them."""
        return self.facts.released

    @cached_property
    def identifiers(self) -> list[str]:
        """The columns that were identifiers before masking."""
        return self.before.with_role(Role.IDENTIFIER)

    @cached_property
    def pseudonymous(self) -> frozenset[str]:
        """The columns that hold pseudonyms."""
        return frozenset(attribute.name for attribute in self.after if attribute.pseudonymous)

    @cached_property
    def changed(self) -> frozenset[str]:
        """The columns in which at least one cell changed."""
        return frozenset().union(*(part.changed for part in self._parts))

    @cached_property
    def kept(self) -> int:
        """Masked records that stand for a real one."""
        return sum(part.records for part in self._parts)

    @cached_property
    def dropped(self) -> bool:
        """Whether records were left out or added."""
        added = self.masking.source.in_memory and self.masking.t != self.kept
        return self.kept != self.facts.records or added

    def unchanged(self) -> list[str]:
        """Released columns that are unchanged."""
        return [name for name in self.released if name in self.before and name not in self.changed]

    def looked(self, rule: str) -> list[Any]:
        """What a rule's look found in each part of the records, in the order of the file."""
        return [part.looked[rule] for part in self._parts]

    def beside(self, columns: Iterable[str], compare: Compare[Out]) -> list[Out]:
        """What a comparison of original and masked columns finds in all records, chunk by chunk of a stream.

        Each side has those of the columns that it has.
        """
        names = list(columns)
        if not self.masking.source.in_memory:
            return list(self.masking.source.beside(names, compare))
        return [compare(*(frame.select(present(frame, names)) for frame in self._whole))]

    def sample(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Some originals from all over the file, and what is released for them."""
        original = pl.concat([part.original for part in self._parts])
        return original, pl.concat([part.masked for part in self._parts])

    @property
    def original(self) -> pl.DataFrame:
        """Originals of `masked`, row by row."""
        return self._first[0]

    @property
    def masked(self) -> pl.DataFrame:
        """All masked records, or the first ones of a stream: for what needs neighbouring records together."""
        return self._first[1]

    @cached_property
    def _first(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        original, masked = self._whole if self.masking.source.in_memory else self._side_by_side(_STREAMED)
        return original.drop(ID), masked.drop(ID)

    @cached_property
    def _whole(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        return self._side_by_side(None)

    def _side_by_side(self, rows: int | None) -> tuple[pl.DataFrame, pl.DataFrame]:
        source = self.masking.source
        frame = source.collect() if rows is None else source.head(rows)
        frame = frame.filter(pl.col(ID) < self.facts.records)
        original = _original(self.masking.original, self.facts.records if rows is None else _bound(frame))
        if len(frame) != len(original):
            original = original[frame[ID].to_numpy()]
        return original.with_columns(frame[ID]), frame

    @cached_property
    def _parts(self) -> list[_Part]:
        names = [*dict.fromkeys([*self.before.names, *self.after.names]), ID]
        return self.beside(names, partial(_look, self.facts, dict(self.looks)))


def _look(facts: Facts, looks: dict[str, Look], original: pl.DataFrame, masked: pl.DataFrame) -> _Part:
    rows = _sampled(masked[ID], facts.records)
    common = [n for n in facts.after.names if n in facts.before]
    changed = in_threads(lambda name: differs(original[name], masked[name]), common, len(common) * len(masked))
    looked = in_threads(lambda look: look(facts, original, masked), looks.values(), len(looks) * len(masked))
    return _Part(
        len(masked),
        frozenset(compress(common, changed)),
        original[rows].drop(ID),
        masked[rows].drop(ID),
        dict(zip(looks, looked, strict=True)),
    )


def _sampled(ids: pl.Series, records: int) -> NDArray[np.int64]:
    """Positions of about as many records as a sample has, chosen by their ids alone."""
    if records <= _SAMPLE:
        return np.arange(len(ids))
    limit = (1 << 64) * _SAMPLE // records
    return np.flatnonzero((hashes(ids) < limit).to_numpy())


def present(frame: pl.DataFrame, names: Iterable[str]) -> list[str]:
    """Those of the columns that the frame has."""
    there = set(frame.columns)
    return [name for name in names if name in there]


def numeric(frame: pl.DataFrame, names: Iterable[str]) -> list[str]:
    """Those of the columns that are stored as numbers."""
    types = frame.schema  # made anew by every look
    return [name for name in names if name in types and types[name].is_numeric()]


def standardised(frame: pl.DataFrame, names: list[str]) -> NDArray[np.float64]:
    """Columns with mean 0 and length 1, missing values in the middle; constant columns are zero."""
    values = frame.select(pl.col(names).cast(pl.Float64)).to_numpy().copy()
    values = scaled(values, exponents(values))
    values -= np.array([np.nanmean(column) if not np.isnan(column).all() else 0.0 for column in values.T])
    values = np.nan_to_num(values)
    length = np.sqrt(np.square(values).sum(axis=0))
    return np.asarray(values / np.where(length > 0, length, 1.0))


def _bound(frame: pl.DataFrame) -> int:
    return int(frame[ID].to_numpy().max()) + 1 if len(frame) else 0


def _original(data: Microdata, last: int) -> pl.DataFrame:
    return data.table.head(last) if data.streamed is None else data.streamed.head(last)
