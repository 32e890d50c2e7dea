"""A rule: its text as in the project file, the columns it names, and a test of which records break it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ammg.data.rules.values import Booleans, Values

if TYPE_CHECKING:
    from ammg.data.block import Block


@dataclass(frozen=True)
class Rule(ABC):
    """A statement of the owner about every record. Records that lack a value the rule needs do not break it."""

    text: str
    """The rule as people write it; reading it gives the same rule."""
    broken: int = field(default=0, compare=False, kw_only=True)
    """Records (or households) of the file in which the rule does not hold, counted when it is declared."""

    def __str__(self) -> str:
        return self.text

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The columns that it names."""

    @property
    def numeric(self) -> tuple[str, ...]:
        """Those of the columns that must be numbers."""
        return ()

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that must have a value for a record to break the rule."""
        return self.columns

    @property
    def measured(self) -> tuple[str, ...]:
        """The columns whose values are compared as numbers; a value that is not a number counts as missing."""
        return self.numeric

    def check(self, data: pl.DataFrame | Block) -> Booleans:
        """Which records break the rule; none if one of its columns has been removed."""
        values = Values(data)
        if not all(name in values for name in self.columns):
            return np.zeros(len(values), dtype=bool)
        return np.asarray(self.concerns(values) & ~self.holds(values))

    def concerns(self, values: Values) -> Booleans:
        """Which records the rule applies to: those that have every value it needs."""
        return ~(values.incomplete(self.needed) | values.unmeasured(self.measured))

    @abstractmethod
    def holds(self, values: Values) -> Booleans:
        """Which records meet the rule; the result for records that lack a needed value is arbitrary."""

    def says_the_same_as(self, other: Rule) -> bool:
        """Whether one of the two rules is redundant."""
        return self == other or self.text == other.text


def quoted_literal(value: Any) -> str:
    """A value as a rule writes it: text in single quotes, numbers and booleans as they are."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"{value:.15g}"
    return "'" + str(value).replace("'", "''") + "'"
