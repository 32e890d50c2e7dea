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

CAPACITY = 1 << 16
"""Values up to which counts are exact."""
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
        self._level = 0
        self._waiting: list[pl.DataFrame] = []
        self._rows = 0

    def add(self, column: pl.Series) -> None:
        """Count one part of the column; missing values are left out."""
        column = _plain(column).drop_nulls()
        if not len(column):
            return
        if self._level:
            keys = hashes(column)
            below = keys < self._limit
            part = pl.DataFrame({"hash": keys.filter(below), "value": column.filter(below)})
            part = part.group_by("hash").agg(pl.col("value").first(), pl.len().cast(pl.Int64).alias("count"))
        else:
            part = _counted(column)
        self._waiting.append(part)
        self._rows += len(part)
        if self._rows > 4 * self.capacity:
            self._settle()

    def finish(self) -> DistinctValues:
        """The sample as it stands."""
        self._settle()
        if not self._waiting:
            return DistinctValues(pl.Series([], dtype=pl.Null), pl.Series([], dtype=pl.Int64), 1.0)
        frame = self._waiting[0].sort("count", "hash", descending=[True, False])
        return DistinctValues(frame["value"], frame["count"], 0.5**self._level)

    @property
    def _limit(self) -> int:
        return 1 << (64 - self._level)

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


def _plain(column: pl.Series) -> pl.Series:
    """Values that compare alike in every part of a file: texts instead of categories with dictionaries of their own."""
    if column.dtype == pl.Categorical:
        return column.cast(pl.String)
    if column.dtype.is_float():
        return column.fill_nan(None)
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


def _counted(column: pl.Series) -> pl.DataFrame:
    values, counts = _dense(column) or _sparse(column)
    return pl.DataFrame({"hash": hashes(values), "value": values, "count": counts})


def _dense(column: pl.Series) -> tuple[pl.Series, pl.Series] | None:
    """Counts of categories and of small integers in a plain array, many times faster than hashing."""
    if isinstance(column.dtype, pl.Enum):
        codes, low = column.to_physical(), 0
        values = column.dtype.categories.cast(column.dtype)
    elif column.dtype.is_integer() and column.dtype not in (pl.Int128, pl.UInt64):
        array = column.cast(pl.Int64).to_numpy()
        low, high = int(array.min()), int(array.max())
        if high - low >= _WIDEST:
            return None
        codes = column.cast(pl.Int64) - low
        values = pl.int_range(low, high + 1, eager=True).cast(column.dtype)
    else:
        return None
    counts = np.bincount(codes.to_numpy(), minlength=len(values))
    seen = pl.Series(counts > 0)
    return values.filter(seen), pl.Series(counts, dtype=pl.Int64).filter(seen)


def _sparse(column: pl.Series) -> tuple[pl.Series, pl.Series]:
    counted = column.alias("value").value_counts(name="count")
    return counted["value"], counted["count"].cast(pl.Int64)
