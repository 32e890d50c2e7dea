"""The levels of a key's hierarchy, as codes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Attribute, Kind
from ammg.data.hierarchy import value_text
from ammg.errors import InputError
from ammg.methods.recoding.date_intervals import Clock

Codes = NDArray[np.int32]
Floats = NDArray[np.float64]

ALL = "*"
"""What stands for every value."""


@dataclass(frozen=True, eq=False)
class KeyLevels:
    """The levels of one key: level 0 is the value itself.

    `classes[l]` is the class of each value at level l, `labels[l]` what the classes are called, and `leaves[l]` how
    many of the `domain` values of the hierarchy each class stands for.
    """

    attribute: Attribute
    values: tuple[str, ...]
    classes: tuple[Codes, ...]
    labels: tuple[tuple[str, ...], ...]
    leaves: tuple[Floats, ...]
    domain: int
    numbers: Floats | None = None

    @property
    def height(self) -> int:
        """The number of levels above the values."""
        return len(self.classes) - 1

    def between(self, low: int, high: int) -> Codes:
        """The class at a higher level of each class of a lower one; the last entry is for missing values."""
        table = np.full(len(self.labels[low]) + 1, self.of_missing(high), np.int32)
        table[self.classes[low]] = self.classes[high]
        return table

    def of_missing(self, level: int) -> int:
        """The class of a missing value: none, unless all values are alike, so that missing or not says nothing."""
        return 0 if level and len(self.labels[level]) == 1 else -1

    @cached_property
    def most_leaves(self) -> int:
        """The values that level 0 has in these data."""
        return len(self.values)


def key_levels(attribute: Attribute, numbers: Floats | None, greatest: int | None = None) -> KeyLevels:
    """Levels of a key from its hierarchy, up to `greatest`; one without a hierarchy is kept or removed whole."""
    values = value_texts(attribute, numbers)
    hierarchy = attribute.hierarchy
    if hierarchy is None:
        rows: dict[str, tuple[str, ...]] = {value: (value, ALL) for value in values}
        height, domain = 1, tuple(values)
    else:
        rows = {row[0]: row for row in hierarchy.rows}
        height, domain = hierarchy.height, tuple(rows)
        for value in values:
            if value not in rows:
                raise InputError(f"The hierarchy of '{attribute.name}' lacks the value '{value}': add a row for it.")
    if greatest is not None and not 0 <= greatest <= height:
        raise InputError(f"'{attribute.name}' has levels 0 to {height}, but its highest level is set to {greatest}.")
    classes, labels, leaves = [], [], []
    for level in range((height if greatest is None else greatest) + 1):
        names = tuple(dict.fromkeys(rows[value][level] for value in values))
        place = {name: code for code, name in enumerate(names)}
        members = dict.fromkeys(names, 0)
        for value in domain:
            if rows[value][level] in members:
                members[rows[value][level]] += 1
        classes.append(np.array([place[rows[value][level]] for value in values], np.int32))
        labels.append(names)
        leaves.append(np.array(list(members.values()), np.float64))
    return KeyLevels(attribute, values, tuple(classes), tuple(labels), tuple(leaves), max(1, len(domain)), numbers)


def fixed_key(attribute: Attribute, numbers: Floats | None) -> KeyLevels:
    """A key that stays as it is, whatever its hierarchy says."""
    return key_levels(attribute.replace(hierarchy=None), numbers, 0)


def value_texts(attribute: Attribute, numbers: Floats | None) -> tuple[str, ...]:
    """The values of a column as hierarchies write them."""
    if numbers is None:
        return tuple(value_text(value) for value in attribute.categories or ())
    if attribute.kind is Kind.DATE:
        clock = Clock(attribute.ticks_per_day)
        return tuple(clock.text(number) for number in numbers.tolist())
    return tuple(value_text(number) for number in numbers.tolist())
