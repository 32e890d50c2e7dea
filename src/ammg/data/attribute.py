"""An attribute: its name, its role for the owner, its kind, its level, and what it is linked to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Flag, StrEnum, auto
from typing import Any

from ammg.data.hierarchy import Hierarchy
from ammg.errors import InputError, did_you_mean


class Role(StrEnum):
    """What an attribute is to the owner of the data (Truta et al. 2003, section 3), plus the structural roles."""

    IDENTIFIER = "identifier"
    KEY = "key"
    CONFIDENTIAL = "confidential"
    OTHER = "other"
    WEIGHT = "weight"
    HOUSEHOLD = "household"
    STRATUM = "stratum"


STRUCTURAL = frozenset({Role.WEIGHT, Role.HOUSEHOLD})
"""Roles of the columns that describe the survey design; a method leaves them alone unless its parameters name them."""


class Level(StrEnum):
    """Whether an attribute describes the person or the household."""

    PERSON = "person"
    HOUSEHOLD = "household"


class Kind(Flag):
    """What can be done with an attribute's values; a method declares the kinds that it accepts."""

    CONTINUOUS = auto()
    INTEGER = auto()
    DATE = auto()
    ORDINAL = auto()
    NOMINAL = auto()
    TEXT = auto()
    NUMERIC = CONTINUOUS | INTEGER
    CATEGORICAL = ORDINAL | NOMINAL
    ORDERED = NUMERIC | DATE | ORDINAL
    CODED = CATEGORICAL | NUMERIC | DATE
    ANY = CODED | TEXT

    @classmethod
    def of(cls, word: str) -> Kind:
        """The kind called `word`, as project files write it."""
        kinds = {
            kind.label: kind for kind in (cls.CONTINUOUS, cls.INTEGER, cls.DATE, cls.ORDINAL, cls.NOMINAL, cls.TEXT)
        }
        if word not in kinds:
            raise InputError(f"Unknown kind '{word}'.{did_you_mean(word, kinds)}")
        return kinds[word]

    @property
    def label(self) -> str:
        """The kind in words."""
        names = [str(member.name).lower() for member in self]
        return " or ".join([", ".join(names[:-1]), *names[-1:]]) if len(names) > 1 else "".join(names)


@dataclass(frozen=True, kw_only=True)
class Attribute:
    """One column: its meaning, not its values.

    `categories` is the dictionary of a categorical attribute: code i stands for categories[i]. It is fixed when the
    data are read and replaced by methods that recode. `scores`, where present, are numbers that stand for the
    categories (the mean of an interval), so that recoded values can still be compared with the original numbers. An
    entry of `missing_codes` is a value or a pair (low, high) that stands for all values between.
    """

    name: str
    kind: Kind
    role: Role = Role.OTHER
    level: Level = Level.PERSON
    linked_to: str | None = None
    categories: tuple[Any, ...] | None = None
    scores: tuple[float, ...] | None = None
    hierarchy: Hierarchy | None = None
    label: str = ""
    value_labels: Mapping[Any, str] = field(default_factory=dict)
    missing_codes: tuple[Any, ...] = ()
    display_format: str = ""
    ticks_per_day: int = 1
    """The unit in which blocks count dates, set for the current step: whole days, or fractions of a day."""
    margin: str | None = None
    """The category that stands for the total over all others, where records are cells of a table."""
    pseudonymous: bool = False
    """Whether the values are pseudonyms; a release keeps them unchanged so that tables can be joined on them."""

    @property
    def is_numeric(self) -> bool:
        """Whether blocks hold it as float64 numbers."""
        return bool(self.kind & (Kind.NUMERIC | Kind.DATE))

    @property
    def is_categorical(self) -> bool:
        """Whether blocks hold it as int32 codes."""
        return bool(self.kind & Kind.CATEGORICAL)

    def replace(self, **changes: Any) -> Attribute:
        """A copy with some facts changed."""
        return replace(self, **changes)
