"""What a search chooses from: a method on some columns with its choices made, its strength still open."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from ammg import registry
from ammg.errors import InputError
from ammg.methods.method import Method
from ammg.optimizer.strength import value_at
from ammg.params import search_ranges

Recipe = tuple[Method, ...]


def written(recipe: Recipe) -> str:
    """A recipe as text: two recipes that do the same have the same one."""
    return json.dumps([[step.name, step.model_dump(mode="json")] for step in recipe], sort_keys=True)


_VARIANTS = 6  # combinations of a method's choices that are tried as families of their own


@dataclass(frozen=True)
class Option:
    """A method on some columns with its choices made; only its strength is open."""

    unit: type[Method]
    columns: tuple[str, ...]
    choices: Mapping[str, Any] = field(default_factory=dict)
    usable: Mapping[str, Any] = field(default_factory=dict)
    """Settings that keep numbers usable: ages stay whole, wages do not become negative; and `within`."""

    @property
    def covers(self) -> set[str]:
        """The columns that it protects: those it masks, and those that its groups share."""
        return {*self.columns, *self.usable.get("within", ())}

    @property
    def method(self) -> str:
        """The method's name."""
        return registry.snake(self.unit.__name__)

    @property
    def name(self) -> str:
        """The method's name, with the choices that differ from its defaults."""
        fields = self.unit.model_fields
        made = [f"{name}={value}" for name, value in self.choices.items() if value != fields[name].default]
        return self.method + (f"({', '.join(made)})" if made else "")

    @property
    def is_plain(self) -> bool:
        """Whether all choices are the method's own."""
        return self.choices == combinations(self.unit)[0]

    def at(self, strength: float) -> Method:
        """The step with every number at this share of the way from the mild to the strong end of its range.

        Raises:
            InputError: the choices contradict each other.
        """
        numbers = {
            name: value_at(self.unit, name, searched, strength)
            for name, searched in search_ranges(self.unit).items()
            if not searched.choices and name not in self.choices
        }
        columns = {"columns": self.columns} if self.unit.takes_columns else {}
        try:
            return self.unit(**columns, **numbers, **self.choices, **self.usable)
        except InputError:
            if not self.usable:
                raise
            return self.unit(**columns, **numbers, **self.choices)

    def on(self, columns: Collection[str]) -> Option:
        """The same option for some of its columns."""
        kept = tuple(name for name in self.columns if name in columns)
        return Option(self.unit, kept, self.choices, _usable_on(self.usable, kept))


Family = tuple[Option, ...]
"""Options that together reach all columns to protect: a recipe once their strength is chosen."""


def _usable_on(usable: Mapping[str, Any], columns: tuple[str, ...]) -> dict[str, Any]:
    kept = dict(usable)
    if "bounds" in kept:
        kept["bounds"] = {name: bound for name, bound in kept["bounds"].items() if name in columns}
        if not kept["bounds"]:
            del kept["bounds"]
    return kept


def combinations(unit: type[Method]) -> list[dict[str, Any]]:
    """Combinations of a method's choices, those nearest to its defaults first."""
    searched = {name: found.choices for name, found in search_ranges(unit).items() if found.choices}
    found = [dict(zip(searched, values, strict=True)) for values in product(*searched.values())]
    fields = unit.model_fields
    found.sort(key=lambda made: sum(value != fields[name].default for name, value in made.items()))
    return found[:_VARIANTS]
