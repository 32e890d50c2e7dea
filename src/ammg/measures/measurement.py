"""The result of a measure: one number, facts, tables and charts, and separately what is about single people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ammg.charts.chart import Chart as Chart  # measures take it from here, with the other parts of their answer
from ammg.charts.values import Scalar, number, scalar

Fact = Scalar | tuple[Scalar, ...]


class People:
    """What a measure found about single people, for the data owner only.

    It stays in memory: it is in no dictionary, no representation, no comparison, no copy and no pickle, and `json`
    refuses it.
    """

    __slots__ = ("_by_record", "_examples")

    def __init__(self, by_record: NDArray[np.float64] | None = None, **examples: Iterable[str]) -> None:
        self._by_record = by_record
        self._examples = {name: tuple(sentences) for name, sentences in examples.items()}

    @property
    def by_record(self) -> NDArray[np.float64] | None:
        """One value per released record, if the measure has them; for risks the probability of being found."""
        return self._by_record

    @property
    def examples(self) -> Mapping[str, tuple[str, ...]]:
        """Records, rare combinations and rare categories in words, such as the `riskiest`."""
        return self._examples

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles hold nobody."""
        return People, ()

    def __repr__(self) -> str:
        return "People(not shown)"


@dataclass(frozen=True)
class Column:
    """The cells of a table's column and what they are, which says how to print them."""

    type: Literal["text", "count", "share", "number"]
    cells: tuple[Scalar, ...]


def text(cells: Iterable[str]) -> Column:
    """A column of words."""
    return Column("text", tuple(cells))


def counts(cells: Iterable[Any]) -> Column:
    """A column of whole numbers."""
    return Column("count", tuple(None if cell is None else int(cell) for cell in cells))


def shares(cells: Iterable[Any]) -> Column:
    """A column of numbers between 0 and 1, which may be printed as percentages."""
    return Column("share", tuple(map(number, cells)))


def numbers(cells: Iterable[Any]) -> Column:
    """A column of any other numbers."""
    return Column("number", tuple(map(number, cells)))


@dataclass(frozen=True)
class Table:
    """A small table of aggregates: named columns of equal length."""

    columns: Mapping[str, Column]

    def __post_init__(self) -> None:
        lengths = {name: len(column.cells) for name, column in self.columns.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"the columns of a table have different lengths: {lengths}")

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())).cells) if self.columns else 0

    def __getitem__(self, name: str) -> tuple[Scalar, ...]:
        return self.columns[name].cells

    def __add__(self, other: Table) -> Table:
        """The rows of both."""
        return Table({name: Column(column.type, column.cells + other[name]) for name, column in self.columns.items()})

    def lookup(self, key: str, value: str) -> dict[Scalar, Scalar]:
        """The cells of one column by those of another."""
        return dict(zip(self[key], self[value], strict=True))

    def to_dict(self) -> dict[str, Any]:
        """As plain values for JSON."""
        return {name: {"type": column.type, "cells": list(column.cells)} for name, column in self.columns.items()}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """The table that `to_dict` described."""
        return cls({name: Column(column["type"], tuple(column["cells"])) for name, column in plain.items()})


@dataclass(frozen=True)
class Measurement:
    """The result of a measure."""

    value: float | None
    """The one number of the table; None when it is not defined, for the `reason`."""
    interval: tuple[float, float] | None = None
    by_column: Mapping[str, float | None] = field(default_factory=dict)
    facts: Mapping[str, Fact] = field(default_factory=dict)
    """Named numbers and words about the whole file or about many people."""
    tables: Mapping[str, Table] = field(default_factory=dict)
    charts: tuple[Chart, ...] = ()
    reason: str = ""
    people: People = field(default_factory=People, repr=False, compare=False)
    """What is about single people; it stays in memory."""

    def __post_init__(self) -> None:
        if self.interval is not None:
            low, high = map(number, self.interval)
            object.__setattr__(self, "interval", None if low is None or high is None else (low, high))
        object.__setattr__(self, "by_column", {name: number(value) for name, value in self.by_column.items()})
        object.__setattr__(self, "facts", {name: _fact(fact) for name, fact in self.facts.items()})

    def to_dict(self) -> dict[str, Any]:
        """As plain values for JSON; what is about single people stays here."""
        parts = {
            "reason": self.reason,
            "interval": self.interval and list(self.interval),
            "by_column": dict(self.by_column),
            "facts": {name: list(fact) if isinstance(fact, tuple) else fact for name, fact in self.facts.items()},
            "tables": {name: table.to_dict() for name, table in self.tables.items()},
            "charts": [chart.to_dict() for chart in self.charts],
        }
        return {"value": number(self.value), **{name: part for name, part in parts.items() if part}}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """The measurement that `to_dict` described, without what was about single people."""
        return cls(
            value=plain["value"],
            interval=plain.get("interval"),
            by_column=plain.get("by_column", {}),
            facts=plain.get("facts", {}),
            tables={name: Table.from_dict(table) for name, table in plain.get("tables", {}).items()},
            charts=tuple(map(Chart.from_dict, plain.get("charts", ()))),
            reason=plain.get("reason", ""),
        )


def _fact(value: Any) -> Fact:
    if isinstance(value, list | tuple | np.ndarray):
        return tuple(map(scalar, value))
    return scalar(value)
