"""What one pass over the records tells about each column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from ammg.analyzer.distinct import DistinctSample, DistinctValues
from ammg.data.microdata import Microdata

_FRAME = 1 << 18  # records of an in-memory table that are looked at together


@dataclass(frozen=True)
class Profile:
    """The facts about one column that roles, kinds and warnings are read from."""

    name: str
    dtype: pl.DataType
    records: int
    missing: int
    values: DistinctValues
    low: float | None = None
    high: float | None = None
    mean: float | None = None
    deviation: float | None = None
    whole: bool = False
    """Whether every number is an integer."""
    rising: bool = False
    """Whether every value is greater than the one of the record before."""
    length: float = 0.0
    """Mean length of texts."""
    spaced: float = 0.0
    """Mean number of spaces in texts."""

    @property
    def observed(self) -> int:
        """Values that are not missing."""
        return self.records - self.missing

    @property
    def distinct(self) -> int:
        """Different values."""
        return min(self.values.number, self.observed)

    @property
    def is_unique(self) -> bool:
        """Whether no two records share a value."""
        return self.observed > 1 and self.values.all_single

    @property
    def is_constant(self) -> bool:
        """Whether there is at most one value."""
        return self.values.is_exact and len(self.values.values) <= 1

    @property
    def is_number(self) -> bool:
        """Whether the values are stored as numbers."""
        return self.dtype.is_numeric()

    @property
    def is_text(self) -> bool:
        """Whether the values are stored as texts or categories."""
        return self.dtype == pl.String or self.dtype == pl.Categorical or isinstance(self.dtype, pl.Enum)

    @property
    def is_row_number(self) -> bool:
        """Whether the values count the records: unique integers without a gap."""
        if not (self.whole and self.is_unique and self.low is not None and self.high is not None):
            return False
        return self.high - self.low == self.observed - 1


def frames(data: Microdata, columns: list[str] | None = None) -> Iterator[pl.DataFrame]:
    """The records in parts, read once from their file or sliced from memory."""
    names = data.columns if columns is None else columns
    if data.streamed is not None:
        yield from (frame.select(names) for frame in data.streamed.chunks(names))
        return
    table = data.table.select(names)
    for start in range(0, table.height, _FRAME):
        yield table.slice(start, _FRAME)


class Profiler:
    """Adds up the profiles of all columns, frame by frame."""

    def __init__(self, schema: pl.Schema, capacity: int) -> None:
        self._columns = [_ColumnProfiler(name, dtype, capacity) for name, dtype in schema.items()]
        self._facts = [fact for column in self._columns for fact in column.facts()]

    def add(self, frame: pl.DataFrame) -> None:
        """Take one part of the records in."""
        facts = frame.select(self._facts).row(0, named=True) if self._facts else {}
        for column in self._columns:
            column.add(frame[column.name], facts)

    def finish(self) -> dict[str, Profile]:
        """The profile of each column."""
        return {column.name: column.finish() for column in self._columns}


class _ColumnProfiler:
    def __init__(self, name: str, dtype: pl.DataType, capacity: int) -> None:
        self.name, self.dtype = name, dtype
        self.sample = DistinctSample(capacity)
        self.records = self.missing = 0
        self.low, self.high = np.inf, -np.inf
        self.sum, self.squares, self.mean = 0.0, 0.0, 0.0
        self.whole = dtype.is_integer() or dtype.is_float()
        self.rising = dtype.is_integer()
        self.last: int | None = None
        self.characters = self.spaces = 0.0

    def facts(self) -> list[pl.Expr]:
        """What polars is asked for in one go, all columns at once."""
        column = pl.col(self.name)
        facts = {"missing": column.null_count()}
        if self.dtype.is_numeric():
            number = column.cast(pl.Float64)
            facts |= {"low": column.min(), "high": column.max(), "mean": number.mean(), "variance": number.var(ddof=0)}
        if self.dtype.is_float():
            facts["whole"] = (column == column.round()).all()
        if self.dtype == pl.String:
            facts |= {
                "characters": column.str.len_chars().sum(),
                "spaces": column.str.count_matches(" ", literal=True).sum(),
            }
        return [fact.alias(f"{self.name}\x1f{what}") for what, fact in facts.items()]

    def add(self, values: pl.Series, facts: dict[str, float | None]) -> None:
        def fact(what: str) -> float:
            return facts.get(f"{self.name}\x1f{what}") or 0.0

        missing = int(fact("missing"))
        before = self.records - self.missing
        observed = len(values) - missing
        self.records += len(values)
        self.missing += missing
        self.sample.add(values)
        if not observed:
            return
        if self.dtype.is_numeric():
            self.low, self.high = min(self.low, fact("low")), max(self.high, fact("high"))
            share, shift = observed / (before + observed), fact("mean") - self.mean
            # Infinite where squares are: a product of floats overflows to infinity, a power raises.
            self.squares += fact("variance") * observed + shift * shift * before * share
            self.mean += shift * share
        if self.dtype.is_float():
            self.whole = self.whole and bool(fact("whole"))
        self.characters += fact("characters")
        self.spaces += fact("spaces")
        if self.rising:
            self.rising = self._still_rising(values)

    def _still_rising(self, values: pl.Series) -> bool:
        if values.null_count() or (self.last is not None and values[0] <= self.last):
            return False
        self.last = values[-1]
        array = values.to_numpy()
        return bool((array[1:] > array[:-1]).all())

    def finish(self) -> Profile:
        observed = self.records - self.missing
        number = self.dtype.is_numeric() and observed > 0
        return Profile(
            name=self.name,
            dtype=self.dtype,
            records=self.records,
            missing=self.missing,
            values=self.sample.finish(),
            low=float(self.low) if number else None,
            high=float(self.high) if number else None,
            mean=self.mean if number else None,
            deviation=float(np.sqrt(self.squares / observed)) if number else None,
            whole=self.whole and number,
            rising=self.rising and observed > 1,
            length=self.characters / observed if observed else 0.0,
            spaced=self.spaces / observed if observed else 0.0,
        )
