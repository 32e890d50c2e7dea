"""What the rules look at: masked records beside their originals, without going through the measures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.attribute import Role
from ammg.data.encoding import ID
from ammg.data.masked import Masked, StepRecord
from ammg.data.microdata import Microdata
from ammg.data.records import Compare, Out, Records
from ammg.data.release import Release
from ammg.data.schema import Schema

_STREAMED = 200_000  # records of a stream that are looked at
_SAMPLE = 10_000  # records for what is quadratic in the columns


@dataclass(frozen=True, eq=False)
class Evidence:
    """Row i of `original` is what row i of `masked` stands for; simulated records are left out of both."""

    original: pl.DataFrame
    masked: pl.DataFrame
    before: Schema
    after: Schema
    steps: tuple[StepRecord, ...]
    release: Release | None
    """None when the records are not in memory: their release is not made before it is written."""
    dropped: bool
    """Whether records were left out or added."""
    records: Records | None = None
    """All records, when those here are the first ones of a stream."""

    @classmethod
    def of(cls, masked: Masked, release: Release) -> Evidence:
        """All records, or the first ones of a stream."""
        whole = masked.source.in_memory
        frame = masked.source.collect() if whole else masked.source.head(_STREAMED)
        frame = frame.filter(pl.col(ID) < masked.n)
        last = masked.n if whole else _bound(frame)
        original = _original(masked.original, last)
        seen = len(original)
        if len(frame) != seen:
            original = original[frame[ID].to_numpy()]
        return cls(
            original=original,
            masked=frame.drop(ID),
            before=masked.original.schema,
            after=masked.schema,
            steps=masked.steps,
            release=release if whole else None,
            dropped=len(frame) != seen or (whole and masked.t != masked.n),
            records=None if whole else masked.source,
        )

    @cached_property
    def released(self) -> list[str]:
        """The columns that leave: all but identifiers and what is linked to them."""
        identifiers = self.after.with_role(Role.IDENTIFIER)
        return [a.name for a in self.after if a.name not in identifiers and a.linked_to not in identifiers]

    @cached_property
    def identifiers(self) -> list[str]:
        """The columns that were identifiers before masking."""
        return self.before.with_role(Role.IDENTIFIER)

    @cached_property
    def changed(self) -> frozenset[str]:
        """The columns of which at least one cell is not what it was."""
        return frozenset(n for n in self.after.names if n in self.before and differs(self.original[n], self.masked[n]))

    @cached_property
    def pseudonymous(self) -> frozenset[str]:
        """The columns that hold pseudonyms."""
        return frozenset(attribute.name for attribute in self.after if attribute.pseudonymous)

    def unchanged(self) -> list[str]:
        """Released columns that show what they always showed."""
        return [name for name in self.released if name in self.before and name not in self.changed]

    def beside(self, columns: list[str], compare: Compare[Out]) -> list[Out]:
        """What a comparison of original and masked columns finds in all records, chunk by chunk of a stream."""
        if self.records is not None:
            return list(self.records.beside(columns, compare))
        return [compare(self.original.select(columns), self.masked.select(columns))]

    def sample(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Some originals and what is released for them."""
        if len(self.masked) <= _SAMPLE:
            return self.original, self.masked
        rows = pl.int_range(len(self.masked), eager=True).sample(_SAMPLE, seed=0).sort()
        return self.original[rows], self.masked[rows]


def differs(before: pl.Series, after: pl.Series) -> bool:
    """Whether any cell is not the same; the same number or text in another type is."""
    if before.dtype != after.dtype:
        numbers = before.dtype.is_numeric() and after.dtype.is_numeric()
        common = pl.Float64() if numbers else pl.String()
        before, after = before.cast(common, strict=False), after.cast(common, strict=False)
    return not before.equals(after, null_equal=True)


def numeric(frame: pl.DataFrame, names: Iterable[str]) -> list[str]:
    """Those of the columns that are stored as numbers."""
    types = frame.schema  # made anew by every look
    return [name for name in names if name in types and types[name].is_numeric()]


def standardised(frame: pl.DataFrame, names: list[str]) -> NDArray[np.float64]:
    """Columns with mean 0 and length 1, missing values in the middle; constant columns are zero."""
    values = frame.select(pl.col(names).cast(pl.Float64).fill_nan(None)).to_numpy().copy()
    values -= np.array([np.nanmean(column) if not np.isnan(column).all() else 0.0 for column in values.T])
    values = np.nan_to_num(values)
    length = np.sqrt(np.square(values).sum(axis=0))
    return np.asarray(values / np.where(length > 0, length, 1.0))


def _bound(frame: pl.DataFrame) -> int:
    return int(frame[ID].to_numpy().max()) + 1 if len(frame) else 0


def _original(data: Microdata, last: int) -> pl.DataFrame:
    return data.table.head(last) if data.streamed is None else data.streamed.head(last)
