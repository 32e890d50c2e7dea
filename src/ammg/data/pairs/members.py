"""What an intruder counts: the released members of a household tell its size, however a column of it is masked.

A release that keeps the household number shows how many records each household has. A column that this number tells,
such as `household_size`, is seen as it was: recoding, suppressing, changing or dropping it protects nobody. So risks
are measured twice, on the columns as released and with the guess by the number of members in the place of those that
it tells, and the larger value counts. Where members were left out, the number is only a lower bound: the guess also
uses the released value, is right less often, and below `USED` no intruder prefers it to the released values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.microdata import Microdata
from ammg.data.pair import Again, Pair
from ammg.data.pairs.columns import differs
from ammg.kernels.inference.told_by_members import Told, told_by_members

USED = 0.1
"""Share of a column that the number of members tells, from which an intruder tries to guess by it."""
TELLING = 0.5
"""Share from which the number of members tells most of the column."""
IN_VAIN = 0.9
"""Share from which masking the column protects nobody."""
SAMPLE = 20_000
"""About how many records tell whether a column is told, where the file is not in memory."""

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]

_MOST_SIZES = 1000  # values of a column that can be the size of a household


def views(pair: Pair) -> tuple[Pair, ...]:
    """The files as released and, where the number of members tells masked columns, as an intruder sees who counts."""
    counted = pair.once(views, lambda: _counted(pair))
    return (pair,) if counted is None else (pair, counted)


def counted_columns(pair: Pair) -> tuple[str, ...]:
    """Masked columns that the number of released members tells; none without a household number in the release."""
    return tuple(_guesses(pair))


def told_columns(records: Microdata, household: str, names: Iterable[str]) -> dict[str, float]:
    """The share of each column that the number of records with its household number tells."""
    homes = _homes(records, household)
    return {name: _learned(homes, *records.codes(name)).share for name in names if _is_coded(records, name)}


def some_households(
    household: str, names: Collection[str], share: float, original: pl.DataFrame, masked: pl.DataFrame
) -> pl.DataFrame:
    """Released household numbers beside original values, for about this share of the households, with all members.

    Households are chosen by their numbers alone, so that parts of a file agree on them.
    """
    numbers = masked[household]
    if isinstance(numbers.dtype, pl.Categorical | pl.Enum):
        numbers = numbers.cast(pl.String)
    chosen = numbers.is_not_null()
    if share < 1:
        chosen &= numbers.hash(seed=0) < int(share * 2.0**64)
    columns = [original[name] for name in names if name in original.columns and name != household]
    return pl.DataFrame([numbers, *columns]).filter(chosen)


def _guesses(pair: Pair) -> dict[str, Ints]:
    """For each masked column that the number of members tells, the original code to guess for each released record."""
    return pair.once(_guesses, lambda: _guessed_by_members(pair))


def _guessed_by_members(pair: Pair) -> dict[str, Ints]:
    household = pair.masked.schema.household
    if household is None or pair.masked is pair.original:
        return {}
    homes = _homes(pair.masked, household)
    masked = [name for name in pair.analysed() if _is_coded(pair.original, name) and _is_masked(pair, name)]
    shown = {name: _shown(pair, name) for name in masked}
    learned = {name: _learned(*_seen_together(pair, homes, name), shown[name]) for name in masked}
    return {name: told.of(homes, shown[name]) for name, told in learned.items() if told.share >= USED}


def _shown(pair: Pair, name: str) -> Ints | None:
    """The few codes that the release shows of a column, which make a guess finer; None where there are too many."""
    if not pair.is_linked or name not in pair.masked.schema or not _is_coded(pair.masked, name):
        return None
    codes, categories = pair.codes(name, masked=True)
    return codes.astype(np.int64) if len(categories) <= _MOST_SIZES else None


def _seen_together(pair: Pair, homes: Ints, name: str) -> tuple[Ints, Codes, tuple[Any, ...]]:
    """Released households beside original codes; without a link, the households of the original."""
    codes, categories = pair.codes(name, masked=False)
    if pair.is_linked:
        return homes, np.append(codes, np.int32(-1))[pair.link], categories
    household = pair.original.schema.household
    return (np.full(pair.n, -1) if household is None else _homes(pair.original, household)), codes, categories


def _counted(pair: Pair) -> Pair | None:
    guesses = _guesses(pair)
    if not guesses:
        return None
    masked = _with(pair, [_values(pair, name, codes) for name, codes in guesses.items()])
    facts = (fact.without(guesses) for fact in pair.published)
    again = None if pair.again is None else _Unmasked(pair.again, tuple(guesses))
    link = pair.link if pair.is_linked else None
    return Pair(pair.original, masked, link, tuple(fact for fact in facts if fact is not None), again=again)


def _values(pair: Pair, name: str, codes: Ints) -> pl.Series:
    """The original values that stand for some codes; missing for -1."""
    own, categories = pair.codes(name, masked=False)
    rows = np.zeros(len(categories) + 1, dtype=np.int64)
    rows[own] = np.arange(pair.n)
    return _taken(pair.original.table[name], rows[codes], codes >= 0)


def _taken(values: pl.Series, rows: Ints, there: NDArray[np.bool_]) -> pl.Series:
    return values.gather(rows).zip_with(pl.Series(there), pl.Series(values.name, [None], dtype=values.dtype))


def _with(pair: Pair, columns: list[pl.Series]) -> Microdata:
    """The masked file with some columns in the terms of the original."""
    attributes = (pair.original.schema[column.name].replace(linked_to=None) for column in columns)
    return Microdata(pair.masked.table.with_columns(columns), pair.masked.schema.replace(*attributes))


@dataclass(frozen=True)
class _Unmasked:
    """A recipe whose masking of some columns is in vain."""

    again: Again
    names: tuple[str, ...]

    def __call__(self, table: Microdata, secret: int) -> Pair:
        pair = self.again(table, secret)
        rows, real = np.maximum(pair.link, 0), pair.link >= 0
        columns = [_taken(table.table[name], rows, real) for name in self.names if name in table.schema]
        return Pair(table, _with(pair, columns), pair.link, pair.published)


def _is_masked(pair: Pair, name: str) -> bool:
    """Whether the release shows other values than the original; unknown without a link."""
    if name not in pair.masked.schema or not pair.is_linked:
        return True
    before, after = pair.original.table[name], pair.masked.table[name]
    if not pair.is_in_order:
        real = pair.link >= 0
        before, after = before.gather(pair.link[real]), after.filter(pl.Series(real))
    return differs(before, after)


def _is_coded(data: Microdata, name: str) -> bool:
    attribute = data.schema[name]
    return attribute.is_numeric or attribute.is_categorical


def _homes(data: Microdata, household: str) -> Ints:
    return data.codes(household)[0].astype(np.int64)


def _learned(homes: Ints, codes: Codes, categories: tuple[Any, ...], shown: Ints | None = None) -> Told:
    few = len(categories) <= _MOST_SIZES
    numbers = [_number(value) for value in categories] if few else np.full(len(categories), np.nan)
    return told_by_members(homes, codes.astype(np.int64), np.asarray(numbers, dtype=np.float64), shown)


def _number(value: Any) -> float:
    """The number that a category is, also one written as text; NaN for others."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan")
