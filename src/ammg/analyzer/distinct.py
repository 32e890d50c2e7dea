"""How many different values a column has, how often they occur, and some of them, in bounded memory.

A distinct sample (Gibbons 2001) keeps every value whose hash lies below a limit, with its count, and halves the limit
when there are more than `capacity` of them. So it is a random sample of the *values*, not of the records: exact below
the capacity, and above it unbiased for the number of values and for the share of values that occur once. It does not
depend on the order of the records.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

CAPACITY = 1 << 13
"""Values up to which counts are exact in files of any size."""
_WIDEST = 1 << 14  # span of integers that are counted in a plain array


@dataclass(frozen=True)
class DistinctValues:
    """A sample of the values of a column, most frequent first."""

    values: pl.Series
    counts: pl.Series
    share: float
    """The share of all values that the sample holds; 1 when it is all of them."""

    @property
    def is_exact(self) -> bool:
        """Whether these are all values."""
        return self.share == 1.0

    @property
    def number(self) -> int:
        """How many different values there are, estimated where the sample is not all of them."""
        return round(len(self.values) / self.share)

    @property
    def single(self) -> int:
        """How many values occur once."""
        return round(int((self.counts == 1).sum()) / self.share)

    @property
    def all_single(self) -> bool:
        """Whether every value seen occurs once."""
        return len(self.counts) > 0 and self.counts.max() == 1


class DistinctSample:
    """Adds up the distinct values of a column, frame by frame."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self.capacity = capacity
        self._tally: _Tally | None = None
        self._level = 0
        self._waiting: list[pl.DataFrame] = []
        self._rows = 0

    def add(self, column: pl.Series) -> None:
        """Count one part of the column; missing values are left out."""
        column = _plain(column)
        if column.null_count():
            column = column.drop_nulls()
        if not len(column):
            return
        if not self._waiting and self._tally is None:
            self._tally = _Tally.of(column)
        if self._tally is not None:
            if self._tally.add(column):
                return
            self._wait(self._tally.counted())
            self._tally = None
        if self._level:
            keys = hashes(column)
            below = keys < self._limit
            part = pl.DataFrame({"hash": keys.filter(below), "value": column.filter(below)})
            self._wait(part.group_by("hash").agg(pl.col("value").first(), pl.len().cast(pl.Int64).alias("count")))
        else:
            counted = column.alias("value").value_counts(name="count")
            self._wait(_part(counted["value"], counted["count"].cast(pl.Int64)))

    def finish(self) -> DistinctValues:
        """The sample as it stands."""
        if self._tally is not None:
            self._waiting, self._rows = [self._tally.counted()], 0
        self._settle()
        if not self._waiting:
            return DistinctValues(pl.Series([], dtype=pl.Null), pl.Series([], dtype=pl.Int64), 1.0)
        frame = self._waiting[0].sort("count", "hash", descending=[True, False])
        return DistinctValues(frame["value"], frame["count"], 0.5**self._level)

    @property
    def _limit(self) -> int:
        return 1 << (64 - self._level)

    def _wait(self, part: pl.DataFrame) -> None:
        self._waiting.append(part)
        self._rows += len(part)
        if self._rows > 4 * self.capacity:
            self._settle()

    def _settle(self) -> None:
        if not self._waiting:
            return
        whole = pl.concat(self._waiting)
        if len(self._waiting) > 1:
            whole = whole.group_by("hash").agg(pl.col("value").first(), pl.col("count").sum())
        while len(whole) > self.capacity:
            self._level += 1
            whole = whole.filter(pl.col("hash") < self._limit)
        self._waiting, self._rows = [whole], len(whole)


class _Tally:
    """Counts of categories and of integers near each other in a plain array, many times faster than hashing."""

    def __init__(self, values: pl.Series, low: int) -> None:
        self.values, self.low = values, low
        self.counts = np.zeros(len(values), dtype=np.int64)

    @classmethod
    def of(cls, column: pl.Series) -> _Tally | None:
        """A tally for columns like this one, if there can be one."""
        if isinstance(column.dtype, pl.Enum):
            return cls(column.dtype.categories.cast(column.dtype), 0)
        if not column.dtype.is_integer() or column.dtype in (pl.Int128, pl.UInt64):
            return None
        array = column.to_numpy()
        low, high = int(array.min()), int(array.max())
        if high - low >= _WIDEST:
            return None
        limits = np.iinfo(array.dtype)
        low, high = max(int(limits.min), low - _WIDEST // 2), min(int(limits.max), high + _WIDEST // 2)
        return cls(pl.int_range(low, high + 1, eager=True).cast(column.dtype), low)

    def add(self, column: pl.Series) -> bool:
        """Count a part, or say that it does not fit."""
        codes = column.to_physical().to_numpy()
        if not isinstance(column.dtype, pl.Enum):
            if int(codes.min()) < self.low or int(codes.max()) >= self.low + len(self.values):
                return False
            codes = codes.astype(np.int64) - self.low
        self.counts += np.bincount(codes, minlength=len(self.counts))
        return True

    def counted(self) -> pl.DataFrame:
        """The values that occurred."""
        seen = pl.Series(self.counts > 0)
        return _part(self.values.filter(seen), pl.Series(self.counts, dtype=pl.Int64).filter(seen))


def _plain(column: pl.Series) -> pl.Series:
    """Values that compare alike in every part of a file: texts instead of categories with dictionaries of their own."""
    if column.dtype == pl.Categorical:
        return column.cast(pl.String)
    if column.dtype.is_nested() or column.dtype == pl.Binary:
        return (
            column.to_frame("value")
            .select(pl.when(pl.col("value").is_not_null()).then(pl.col("value").hash()))
            .to_series()
        )
    return column


def hashes(column: pl.Series) -> pl.Series:
    """Well mixed 64-bit hashes, the same in all parts of a file: splitmix64 over the hash of polars."""
    bits = column.hash(seed=0x5EED).to_numpy().copy()
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits ^= bits >> np.uint64(shift)
        bits *= np.uint64(factor)
    return pl.Series(bits ^ (bits >> np.uint64(31)))


def _part(values: pl.Series, counts: pl.Series) -> pl.DataFrame:
    return pl.DataFrame({"hash": hashes(values), "value": values, "count": counts})
