"""Edit rules: ranges, implications, allowed and forbidden combinations, and any other condition on a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ammg.data.rules.conditions import Among, Condition
from ammg.data.rules.rule import Rule, quoted_literal
from ammg.data.rules.tokens import quoted
from ammg.data.rules.values import Booleans, Values
from ammg.errors import InputError


@dataclass(frozen=True)
class RangeRule(Rule):
    """A number that lies between two limits, both included; None leaves a side open."""

    column: str
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        if self.low is None and self.high is None:
            raise InputError(f"Rule '{self}' gives '{self.column}' no limit: give a least or a greatest value.")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise InputError(f"Rule '{self}' leaves no value for '{self.column}': {self.low:g} is above {self.high:g}.")

    @classmethod
    def of(cls, column: str, low: float | None, high: float | None) -> RangeRule:
        """The rule that keeps a column between two limits."""
        left = "" if low is None else f"{quoted_literal(low)} <= "
        right = "" if high is None else f" <= {quoted_literal(high)}"
        return cls(f"{left}{quoted(column)}{right}", column, low, high)

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    @property
    def numeric(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    def holds(self, values: Values) -> Booleans:
        """Which records lie within the limits."""
        numbers = values.numbers(self.column)
        low = -np.inf if self.low is None else self.low
        high = np.inf if self.high is None else self.high
        return np.asarray((numbers >= low) & (numbers <= high))


@dataclass(frozen=True)
class ImplicationRule(Rule):
    """Where one condition holds, another one holds too."""

    when: Condition
    then: Condition

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of both conditions."""
        return tuple(dict.fromkeys((*self.when.columns, *self.then.columns)))

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that one of the conditions needs."""
        return tuple(dict.fromkeys((*self.when.needed, *self.then.needed)))

    @property
    def numeric(self) -> tuple[str, ...]:
        """The columns that one of the conditions needs as numbers."""
        return tuple(dict.fromkeys((*self.when.numeric, *self.then.numeric)))

    @property
    def measured(self) -> tuple[str, ...]:
        """The columns that one of the conditions compares as numbers."""
        return tuple(dict.fromkeys((*self.when.measured, *self.then.measured)))

    def concerns(self, values: Values) -> Booleans:
        """Records in which the first condition holds."""
        return np.asarray(super().concerns(values) & self.when.holds(values))

    def holds(self, values: Values) -> Booleans:
        """Which records do not meet the first condition, or meet both."""
        return np.asarray(~self.when.holds(values) | self.then.holds(values))


@dataclass(frozen=True)
class CombinationRule(Rule):
    """Combinations of values that columns may have, or must not have."""

    among: Among
    allowed: bool = True

    @classmethod
    def of(cls, columns: Sequence[str], combinations: Sequence[Sequence[Any]], *, allowed: bool) -> CombinationRule:
        """The rule that allows or forbids combinations of values."""
        listed = tuple(tuple(combination) for combination in combinations)
        one = len(columns) == 1
        names = quoted(columns[0]) if one else f"({', '.join(map(quoted, columns))})"
        written = [", ".join(map(quoted_literal, combination)) for combination in listed]
        values = ", ".join(written if one else [f"({entry})" for entry in written])
        return cls(f"{names} {'' if allowed else 'not '}in ({values})", Among(tuple(columns), listed), allowed)

    @classmethod
    def forbidding(cls, values: Mapping[str, Any], text: str | None = None) -> CombinationRule:
        """The rule that forbids one combination."""
        rule = cls.of(list(values), [list(values.values())], allowed=False)
        return rule if text is None else cls(text, rule.among, allowed=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are combined."""
        return self.among.columns

    def holds(self, values: Values) -> Booleans:
        """Which records have an allowed combination, or none that is forbidden."""
        return np.asarray(self.among.holds(values) == self.allowed)


@dataclass(frozen=True)
class ConditionRule(Rule):
    """Any other condition that every record meets."""

    condition: Condition

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the condition."""
        return self.condition.columns

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that the condition needs."""
        return self.condition.needed

    @property
    def numeric(self) -> tuple[str, ...]:
        """The columns that the condition needs as numbers."""
        return self.condition.numeric

    @property
    def measured(self) -> tuple[str, ...]:
        """The columns that the condition compares as numbers."""
        return self.condition.measured

    def holds(self, values: Values) -> Booleans:
        """Which records meet the condition."""
        return self.condition.holds(values)
