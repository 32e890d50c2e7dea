"""The search space: which methods, on which columns, with which parameters, as the units themselves declare them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ammg import registry
from ammg.data.attribute import Level, Role
from ammg.data.schema import Schema
from ammg.errors import InputError
from ammg.methods.method import Method
from ammg.params import SearchRange, search_ranges


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

    def __init__(self, schema: Schema, steps: int, methods: Sequence[str] | None = None) -> None:
        self.steps = steps
        self.options = tuple(_options(schema, methods))
        if not self.options:
            raise InputError("No method fits these data: give attributes the roles key or confidential.")

    def recipe(self, chooser: Chooser) -> tuple[Method, ...]:
        """Draw one recipe."""
        length = chooser.suggest_int("steps", 1, self.steps)
        return tuple(self._step(chooser, position) for position in range(length))

    def starts(self) -> list[dict[str, Any]]:
        """Every method alone on its widest group of columns: where the search begins."""
        return [
            {"steps": 1, "0 method": option.name, **({f"0 {option.name} columns": 0} if option.groups else {})}
            for option in self.options
        ]

    def _step(self, chooser: Chooser, position: int) -> Method:
        by_name = {option.name: option for option in self.options}
        name = chooser.suggest_categorical(f"{position} method", list(by_name))
        option = by_name[name]
        place = f"{position} {name}"
        values: dict[str, Any] = {}
        if option.groups:
            values["columns"] = option.groups[chooser.suggest_int(f"{place} columns", 0, len(option.groups) - 1)]
        for field, searched in search_ranges(option.unit).items():
            integer = _is_integer(option.unit, field)
            values[field] = _suggest(chooser, f"{place} {field}", searched, integer)
        return option.unit(**values)


def _options(schema: Schema, methods: Sequence[str] | None) -> list[Option]:
    units = [registry.find("methods", name) for name in methods] if methods else registry.units("methods").values()
    options = []
    for unit in units:
        if not (unit.searched or methods) or not search_ranges(unit):
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


def _suggest(chooser: Chooser, name: str, searched: SearchRange, integer: bool) -> Any:
    if searched.choices:
        return chooser.suggest_categorical(name, list(searched.choices))
    assert searched.low is not None and searched.high is not None
    if integer:
        return chooser.suggest_int(name, int(searched.low), int(searched.high), log=searched.log)
    return chooser.suggest_float(name, searched.low, searched.high, log=searched.log)
