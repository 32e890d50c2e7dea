"""Columns as rules see them: numbers, or codes with their dictionary, from a frame or a block."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ammg.data.block import Block

Booleans = NDArray[np.bool_]
Floats = NDArray[np.float64]
Operator = Literal["=", "!=", "<", "<=", ">", ">="]

COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True, eq=False)
class _Numbers:
    """A numeric column; dates are days since 1970."""

    numbers: Floats
    dates: bool = False

    @property
    def missing(self) -> Booleans:
        return np.isnan(self.numbers)

    def compared(self, sign: str, literal: Any) -> Booleans:
        value = _number(literal, self.dates)
        if value is None:
            return np.full(len(self.numbers), sign == "!=")
        return np.asarray(COMPARE[sign](self.numbers, value))


@dataclass(frozen=True, eq=False)
class _Codes:
    """A categorical column: each category is compared once, and records look up the result by code."""

    codes: NDArray[np.int64]
    categories: tuple[Any, ...]
    ordered: bool

    @property
    def missing(self) -> Booleans:
        return np.asarray(self.codes < 0)

    @property
    def numbers(self) -> Floats:
        values = [_number(category) for category in self.categories]
        return self._looked_up(np.array([np.nan if v is None else v for v in values], dtype=np.float64), np.nan)

    def compared(self, sign: str, literal: Any) -> Booleans:
        verdicts = np.array([self._verdict(sign, c, literal) for c in self.categories], dtype=bool)
        return np.asarray(self._looked_up(verdicts, False))

    def _verdict(self, sign: str, category: Any, literal: Any) -> bool:
        if sign in ("=", "!="):
            return _same(category, literal) == (sign == "=")
        left, right = _number(category), _number(literal)
        if left is not None and right is not None:
            return bool(COMPARE[sign](left, right))
        if self.ordered and literal in self.categories:
            return bool(COMPARE[sign](self.categories.index(category), self.categories.index(literal)))
        return False

    def _looked_up(self, entries: NDArray[Any], missing: Any) -> NDArray[Any]:
        return np.append(entries, missing)[self.codes] if len(entries) else np.full(len(self.codes), missing)


class Values:
    """The columns of a frame or of a block."""

    def __init__(self, data: pl.DataFrame | Block) -> None:
        self._data = data
        self._columns: dict[str, _Numbers | _Codes] = {}

    def __len__(self) -> int:
        return len(self._data)

    def __contains__(self, name: str) -> bool:
        return name in (self._data.schema if isinstance(self._data, pl.DataFrame) else self._data.columns)

    def numbers(self, name: str) -> Floats:
        """A column as numbers, NaN where it has none."""
        return self._column(name).numbers

    def matrix(self, names: Iterable[str]) -> Floats:
        """Columns side by side as numbers."""
        return np.stack([self.numbers(name) for name in names], axis=1)

    def missing(self, name: str) -> Booleans:
        """Which records have no value in a column."""
        return self._column(name).missing

    def incomplete(self, names: Iterable[str]) -> Booleans:
        """Which records have no value in at least one of the columns."""
        lacking = np.zeros(len(self), dtype=bool)
        for name in names:
            lacking |= self.missing(name)
        return lacking

    def unmeasured(self, names: Iterable[str]) -> Booleans:
        """Which records have no number in at least one of the columns."""
        lacking = np.zeros(len(self), dtype=bool)
        for name in names:
            lacking |= np.isnan(self.numbers(name))
        return lacking

    def compared(self, name: str, sign: str, literal: Any) -> Booleans:
        """Which records have a value that meets the comparison with a literal; ignores missing values."""
        return self._column(name).compared(sign, literal)

    def among(self, name: str, literals: Collection[Any]) -> Booleans:
        """Which records have one of the literals."""
        found = np.zeros(len(self), dtype=bool)
        for literal in literals:
            found |= self.compared(name, "=", literal)
        return found

    def groups(self, name: str) -> NDArray[np.int64]:
        """Group numbers from 0, the same for records with the same value."""
        column = self._column(name)
        if isinstance(column, _Codes):
            return np.asarray(column.codes + 1)
        return np.asarray(np.unique(column.numbers, return_inverse=True)[1], dtype=np.int64)

    def _column(self, name: str) -> _Numbers | _Codes:
        if name not in self._columns:
            data = self._data
            self._columns[name] = _of_series(data[name]) if isinstance(data, pl.DataFrame) else _of_block(data, name)
        return self._columns[name]


def days(text: str) -> float | None:
    """A date as days since 1970, or None if the text is not a date."""
    try:
        return float((date.fromisoformat(text) - date(1970, 1, 1)).days)
    except ValueError:
        return None


def _of_series(series: pl.Series) -> _Numbers | _Codes:
    dtype = series.dtype
    if dtype.is_numeric():
        return _Numbers(series.cast(pl.Float64).fill_null(float("nan")).to_numpy())
    if dtype == pl.Date:
        return _Numbers(series.to_physical().cast(pl.Float64).fill_null(float("nan")).to_numpy(), dates=True)
    if dtype == pl.Boolean:
        return _Codes(series.cast(pl.Int64).fill_null(-1).to_numpy(), (False, True), ordered=False)
    if isinstance(dtype, pl.Enum):
        dictionary, ordered = dtype, True
    else:
        series = series.cast(pl.String)
        dictionary, ordered = pl.Enum(series.unique().drop_nulls().sort()), False
    codes = series.cast(dictionary).to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
    return _Codes(codes, tuple(dictionary.categories.to_list()), ordered)


def _of_block(block: Block, name: str) -> _Numbers | _Codes:
    from ammg.data.attribute import Kind

    attribute, values = block.schema[name], block[name]
    if attribute.categories is None or values.dtype == np.float64:
        return _Numbers(block.numbers(name), dates=attribute.kind is Kind.DATE)
    ordered = attribute.kind is Kind.ORDINAL
    return _Codes(values.astype(np.int64), attribute.categories, ordered)


def _same(category: Any, literal: Any) -> bool:
    if isinstance(category, bool) or isinstance(literal, bool):
        return str(category).lower() == str(literal).lower()
    return bool(category == literal) or str(category) == str(literal)


def _number(value: Any, dates: bool = False) -> float | None:
    if isinstance(value, int | float):  # a boolean counts as 0 or 1
        return float(value)
    if isinstance(value, date):
        return float((value - date(1970, 1, 1)).days)
    return days(value) if dates and isinstance(value, str) else None
