"""The search space: which methods, on which columns, with which parameters, as the units themselves declare them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ammg import registry
from ammg.data.attribute import Kind, Level, Role
from ammg.data.schema import Schema
from ammg.errors import InputError
from ammg.methods.method import Method
from ammg.params import SearchRange, search_ranges

STRENGTHS = (1.0, 0.6, 0.3, 0.0)
"""Shares of the way from the mild to the strong end of every range, in the order in which they are tried."""

_NUMBERS = 0.6  # share of the variations that change a number


class Chooser(Protocol):
    """Suggests values: a trial of the optimiser."""

    def suggest_int(self, name: str, low: int, high: int, *, log: bool = False) -> int: ...  # noqa: D102
    def suggest_float(self, name: str, low: float, high: float, *, log: bool = False) -> float: ...  # noqa: D102
    def suggest_categorical(self, name: str, choices: Sequence[Any]) -> Any: ...  # noqa: D102


@dataclass(frozen=True)
class Option:
    """A method that can be used on these data, with the groups of columns it may be given."""

    unit: type[Method]
    groups: tuple[tuple[str, ...], ...]

    @property
    def name(self) -> str:
        """The method's name."""
        return registry.snake(self.unit.__name__)


class Space:
    """All recipes of at most `steps` methods."""

    def __init__(
        self,
        schema: Schema,
        steps: int,
        methods: Sequence[str] | None = None,
        nonnegative: Collection[str] = (),
    ) -> None:
        self.steps = steps
        self.ruled = {name for rule in schema.rules for name in rule.columns}
        self.whole = {a.name for a in schema if a.kind is Kind.INTEGER} - self.ruled
        self.nonnegative = set(nonnegative) - self.ruled
        self.keys = schema.keys
        self.options = tuple(_options(schema, methods))
        if not self.options:
            raise InputError("No method fits these data: give attributes the roles key or confidential.")

    def recipe(self, chooser: Chooser) -> tuple[Method, ...]:
        """Draw one recipe; a column that a step recoded is left alone by the later ones."""
        recoded: set[str] = set()
        steps = []
        for position in range(chooser.suggest_int("steps", 1, self.steps)):
            step = self._step(chooser, position, recoded)
            if step is None:
                continue
            steps.append(step)
            if step.recodes:
                recoded.update(step.columns or ())
        return tuple(steps)

    def starts(self) -> list[dict[str, Any]]:
        """Where the search begins: recipes that reach all keys, from strong to mild, then every method alone."""
        covering = [picks for turn in range(len(self.options)) if (picks := self._covering(turn))]
        found = [self._fixed(picks, strength) for strength in STRENGTHS for picks in covering]
        found += [self._fixed([(option, 0)], None) for option in self.options]
        return [start for number, start in enumerate(found) if start not in found[:number]]

    def varied(self, params: Mapping[str, Any], rng: np.random.Generator, *, milder: bool) -> dict[str, Any]:
        """A recipe's parameters with one of them made milder or stronger, or left out to be chosen anew.

        What hangs on a choice that is left out, is left out with it.
        """
        numbers = [name for name in sorted(params) if (found := self._parameter(name)) and not found[2].choices]
        others = [name for name in sorted(params) if not (found := self._parameter(name)) or len(found[2].choices) > 1]
        name = str(rng.choice(numbers if numbers and rng.random() < _NUMBERS else others))
        if (found := self._parameter(name)) and name in numbers:
            unit, field, searched = found
            share = _share(searched, params[name])
            share += rng.random() * ((0.0 if milder else 1.0) - share)
            return {**params, name: _value(unit, field, searched, share)}
        dropped = name.removesuffix("method")
        return {key: value for key, value in params.items() if not key.startswith(dropped)}

    def _parameter(self, name: str) -> tuple[type[Method], str, SearchRange] | None:
        """The method, the parameter and the range that a choice is about; nothing for choices of other things."""
        _, method, field = (*name.split(" "), "", "")[:3]
        if not field or field == "columns":
            return None
        unit = self._named(method).unit
        return unit, field, search_ranges(unit)[field]

    def _covering(self, turn: int) -> list[tuple[Option, int]]:
        """Methods that together reach all keys, each with the most keys it can take; `turn` says which comes first."""
        open_keys = set(self.keys)
        picks: list[tuple[Option, int]] = []
        others = (*self.options[turn:], *self.options[:turn])
        for option in (*others, *others):  # a method comes again for what nobody else takes
            fitting = [number for number, group in enumerate(option.groups) if set(group) <= open_keys]
            if fitting and len(picks) < self.steps:
                picks.append((option, max(fitting, key=lambda number: len(option.groups[number]))))
                open_keys -= set(option.groups[picks[-1][1]])
        return picks

    def _fixed(self, picks: list[tuple[Option, int]], strength: float | None) -> dict[str, Any]:
        values: dict[str, Any] = {"steps": len(picks)}
        for position, (option, group) in enumerate(picks):
            values[f"{position} method"] = option.name
            if option.groups:
                values[f"{position} {option.name} columns"] = group
            for field, searched in search_ranges(option.unit).items():
                if strength is not None and not searched.choices:
                    values[f"{position} {option.name} {field}"] = _value(option.unit, field, searched, strength)
        return values

    def _named(self, name: str) -> Option:
        return next(option for option in self.options if option.name == name)

    def _step(self, chooser: Chooser, position: int, recoded: set[str]) -> Method | None:
        name = chooser.suggest_categorical(f"{position} method", [option.name for option in self.options])
        option = self._named(name)
        place = f"{position} {name}"
        values: dict[str, Any] = {}
        if option.groups:
            group = option.groups[chooser.suggest_int(f"{place} columns", 0, len(option.groups) - 1)]
            values["columns"] = tuple(column for column in group if column not in recoded)
        for field, searched in search_ranges(option.unit).items():
            integer = _is_integer(option.unit, field)
            values[field] = _suggest(chooser, f"{place} {field}", searched, integer)
        return None if values.get("columns") == () else option.unit(**values, **self._usable(option.unit, values))

    def _usable(self, unit: type[Method], values: Mapping[str, Any]) -> dict[str, Any]:
        """Options that make masked numbers usable: ages stay whole, wages stay positive; sums of parts come first."""
        columns = values.get("columns", ())
        found: dict[str, Any] = {}
        if "integers" in unit.model_fields and self.whole & set(columns) and not self.ruled & set(columns):
            found["integers"] = True
        bounded = [name for name in columns if name in self.nonnegative]
        if "bounds" in unit.model_fields and bounded:
            found["bounds"] = dict.fromkeys(bounded, (0.0, None))
        return found


def _options(schema: Schema, methods: Sequence[str] | None) -> list[Option]:
    named = methods is not None
    units = [registry.find("methods", name) for name in methods or ()] if named else registry.units("methods").values()
    options = []
    for unit in units:
        if not (unit.searched or named) or not search_ranges(unit):
            continue
        groups = _groups(schema, unit)
        if groups is not None:
            options.append(Option(unit, groups))
    return options


def _groups(schema: Schema, unit: type[Method]) -> tuple[tuple[str, ...], ...] | None:
    """Keys and confidential attributes together and apart, one level at a time; none for methods without columns."""
    if not unit.takes_columns:
        return ()
    usable = set(unit.search_columns(schema))
    groups = []
    for roles in ((Role.KEY, Role.CONFIDENTIAL), (Role.KEY,), (Role.CONFIDENTIAL,)):
        for level in Level:
            names = tuple(a.name for a in schema if a.role in roles and a.level is level and a.name in usable)
            if names and names not in groups and not (level is Level.HOUSEHOLD and schema.household is None):
                groups.append(names)
    return tuple(groups) or None


def _is_integer(unit: type[Method], field: str) -> bool:
    annotation = unit.model_fields[field].annotation
    return annotation is int or annotation == int | None


def _value(unit: type[Method], field: str, searched: SearchRange, share: float) -> float:
    """The value at this share of the way from the mild to the strong end."""
    assert searched.mild is not None and searched.strong is not None
    if searched.log:
        value = searched.mild * (searched.strong / searched.mild) ** share
    else:
        value = searched.mild + share * (searched.strong - searched.mild)
    return round(value) if _is_integer(unit, field) else float(value)


def _share(searched: SearchRange, value: float) -> float:
    """The share of the way from the mild to the strong end at which a value stands."""
    assert searched.mild is not None and searched.strong is not None
    if searched.log:
        return float(np.log(value / searched.mild) / np.log(searched.strong / searched.mild))
    return float((value - searched.mild) / (searched.strong - searched.mild))


def _suggest(chooser: Chooser, name: str, searched: SearchRange, integer: bool) -> Any:
    if searched.choices:
        return chooser.suggest_categorical(name, list(searched.choices))
    assert searched.mild is not None and searched.strong is not None
    low, high = sorted((searched.mild, searched.strong))
    if integer:
        return chooser.suggest_int(name, int(low), int(high), log=searched.log)
    # Three digits are enough, and a recipe is for people to read.
    return float(f"{chooser.suggest_float(name, low, high, log=searched.log):.3g}")
