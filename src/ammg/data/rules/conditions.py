"""Conditions on single records, as rules combine them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ammg.data.rules.linear import LinearRule
from ammg.data.rules.values import Booleans, Operator, Values


class Condition(ABC):
    """Something that a record meets or does not meet."""

    @abstractmethod
    def holds(self, values: Values) -> Booleans:
        """Which records meet it, assuming that they have all values it needs."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The columns that it names."""

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that must have a value for the condition to apply."""
        return self.columns

    @property
    def numeric(self) -> tuple[str, ...]:
        """The columns that must be numbers."""
        return ()

    @property
    def measured(self) -> tuple[str, ...]:
        """The columns whose values are compared as numbers; a value that is not a number counts as missing."""
        return self.numeric


@dataclass(frozen=True)
class Comparison(Condition):
    """One column compared with a value that is not a number."""

    column: str
    sign: Operator
    value: Any

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    def holds(self, values: Values) -> Booleans:
        """Which records have such a value."""
        return values.compared(self.column, self.sign, self.value)


@dataclass(frozen=True)
class LinearCondition(Condition):
    """A sum of columns compared with a number."""

    rule: LinearRule

    @property
    def columns(self) -> tuple[str, ...]:
        """The members of the sum."""
        return self.rule.columns

    @property
    def numeric(self) -> tuple[str, ...]:
        """The members of a sum; one column alone may also have numbers for categories."""
        return self.rule.columns if len(self.rule.columns) > 1 else ()

    @property
    def measured(self) -> tuple[str, ...]:
        """The members of the sum."""
        return self.rule.columns

    def holds(self, values: Values) -> Booleans:
        """Which records meet the comparison."""
        if self.rule.sense != "!=":
            return self.rule.holds(values)
        return np.asarray(~LinearRule(self.rule.text, self.rule.coefficients, self.rule.constant).holds(values))


@dataclass(frozen=True)
class Among(Condition):
    """Columns whose values together are one of the listed combinations."""

    names: tuple[str, ...]
    combinations: tuple[tuple[Any, ...], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are combined."""
        return self.names

    def holds(self, values: Values) -> Booleans:
        """Which records have a listed combination."""
        if len(self.names) == 1:
            return values.among(self.names[0], [value for (value,) in self.combinations])
        found = np.zeros(len(values), dtype=bool)
        for combination in self.combinations:
            equal = np.ones(len(values), dtype=bool)
            for name, value in zip(self.names, combination, strict=True):
                equal &= values.compared(name, "=", value)
            found |= equal
        return found


@dataclass(frozen=True)
class Missing(Condition):
    """A column that has no value."""

    column: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    @property
    def needed(self) -> tuple[str, ...]:
        """No columns: the condition is about a missing value."""
        return ()

    def holds(self, values: Values) -> Booleans:
        """Which records lack the value."""
        return values.missing(self.column)


@dataclass(frozen=True)
class _Joined(Condition):
    parts: tuple[Condition, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns of the parts."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.columns))

    @property
    def needed(self) -> tuple[str, ...]:
        """All columns that a part needs."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.needed))

    @property
    def numeric(self) -> tuple[str, ...]:
        """All columns that a part needs as numbers."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.numeric))

    @property
    def measured(self) -> tuple[str, ...]:
        """All columns that a part compares as numbers."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.measured))


class Both(_Joined):
    """Conditions that all hold."""

    def holds(self, values: Values) -> Booleans:
        """Which records meet all parts."""
        return np.asarray(np.logical_and.reduce([part.holds(values) for part in self.parts]))


class Either(_Joined):
    """Conditions at least one of which holds."""

    def holds(self, values: Values) -> Booleans:
        """Which records meet a part."""
        return np.asarray(np.logical_or.reduce([part.holds(values) for part in self.parts]))


class Negated(_Joined):
    """A condition that does not hold."""

    def holds(self, values: Values) -> Booleans:
        """Which records do not meet the part."""
        return np.asarray(~self.parts[0].holds(values))


def conjuncts(condition: Condition) -> Iterator[Condition]:
    """The conditions that must all hold for this one to hold."""
    if isinstance(condition, Both):
        for part in condition.parts:
            yield from conjuncts(part)
    else:
        yield condition


def equalities(condition: Condition) -> dict[str, Any] | None:
    """The value of each column if the condition is a conjunction of `column = value`, else None."""
    found: dict[str, Any] = {}
    for part in conjuncts(condition):
        match part:
            case Comparison(column, "=", value):
                found[column] = value
            case LinearCondition(rule) if rule.is_identity and len(rule.columns) == 1:
                found[rule.columns[0]] = rule.constant / rule.coefficients[rule.columns[0]]
            case Among((column,), ((value,),)):
                found[column] = value
            case _:
                return None
    return found
