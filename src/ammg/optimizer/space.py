"""The search space: which methods, on which columns, with which parameters, as the units themselves declare them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from ammg import registry
from ammg.data.attribute import Kind, Level, Role
from ammg.data.schema import Schema
from ammg.errors import InputError
from ammg.methods.key_method import KeyMethod
from ammg.methods.method import Method
from ammg.optimizer.options import Family, Option, Recipe, combinations
from ammg.optimizer.strata import coarser_strata
from ammg.params import search_ranges

_LEVELS = ((Level.PERSON,), (Level.HOUSEHOLD,), (Level.PERSON, Level.HOUSEHOLD))


class Space:
    """Recipes of at most `steps` methods that reach what an intruder knows, and what is confidential."""

    def __init__(
        self,
        schema: Schema,
        steps: int,
        methods: Sequence[str] | None = None,
        *,
        known: Collection[str] = (),
        nonnegative: Collection[str] = (),
        untouched: Collection[str] = (),
        told: Collection[str] = (),
        limited: Collection[str] = (),
    ) -> None:
        """`told` are untouched columns on which look-alikes must agree, because every intruder sees them."""
        self.schema, self.steps, self._told = schema, steps, tuple(told)
        self._ruled = {name for rule in schema.rules for name in rule.columns if name in schema}
        self._whole = {a.name for a in schema if a.kind is Kind.INTEGER} - self._ruled
        self._nonnegative = set(nonnegative) - self._ruled
        confidential = ({a.name for a in schema if a.role is Role.CONFIDENTIAL} | set(limited)) - set(untouched)
        sought = (set(known) or {a.name for a in schema if a.role is Role.KEY}) - set(untouched)
        self.reaches = [reach for reach in (sought, sought | confidential) if reach] or [confidential]
        self.units = _units(methods)
        self.options = tuple(option for unit in self.units for option in self._options(unit, self.reaches[-1]))
        if not self.options:
            raise InputError("No method applies to these data: give attributes the role key or confidential.")

    def families(self, reaches: Sequence[set[str]] | None = None) -> list[list[Family]]:
        """Tiers of families: those that reach what is known, and then those that reach what is confidential as well.

        Each of the two has a tier of options that reach everything, which are families with each of their choices, and
        one of options that reach much and are completed by others, which take turns, for the columns they leave open.
        """
        found = []
        for reach in reaches or self._distinct_reaches():
            options = [option if not option.unit.takes_columns else option.on(reach) for option in self.options]
            whole = [option for option in options if option.covers >= reach or not option.unit.takes_columns]
            parts = [option for option in options if option.columns and option not in whole and option.is_plain]
            most = max((len(option.covers) for option in parts), default=0)
            leads = [(turn, part) for turn, part in enumerate(parts) if 2 * len(part.covers) >= most]
            completed = [self._completed(lead, reach, turn, parts) for turn, lead in leads]
            whole.sort(key=lambda option: not option.is_plain)
            strata = [
                family for option in whole for family in coarser_strata(option, self.schema, self.units, self._told)
            ]
            alone: list[Family] = [(option,) for option in whole]
            strata = [family for family in strata if len(family) <= self.steps]
            found += [_without_copies([*strata, *alone]), _without_copies(completed)]
        return found

    def alternatives(self, step: Method) -> list[Option]:
        """What could stand in the place of a step: other options for its columns."""
        wanted = set(step.columns or ())
        found = [option.on(wanted) for option in self.options if option.unit.takes_columns]
        return [option for option in found if set(option.columns) == wanted and option.unit is not type(step)]

    def additions(self, recipe: Recipe) -> list[Option]:
        """What could follow a recipe: options for columns that no step has recoded."""
        recoded = {name for step in recipe if step.recodes for name in step.columns or ()}
        taken = {type(step) for step in recipe}
        found = []
        for option in self.options:
            rest = option if not option.unit.takes_columns else option.on(set(option.columns) - recoded)
            if option.unit not in taken and (rest.columns or not option.unit.takes_columns):
                found.append(rest)
        return found

    def _distinct_reaches(self) -> list[set[str]]:
        return [reach for number, reach in enumerate(self.reaches) if reach not in self.reaches[:number]]

    def _completed(self, lead: Option, reach: set[str], turn: int, options: Sequence[Option]) -> Family:
        """The lead with options for what it leaves open; `turn` says where to begin, so that all get their turn.

        What looks at columns together says little about a single one that is left.
        """
        open_columns = reach - lead.covers
        family = [lead]
        rotated = [*options[turn + 1 :], *options[: turn + 1]]
        while open_columns and len(family) < self.steps:
            rest = [option.on(open_columns) for option in rotated]
            fitting = [
                option for option in rest if option.columns and not (option.unit.joint and len(option.columns) == 1)
            ]
            if not fitting:
                break
            most = max(len(option.columns) for option in fitting)
            family.append(next(option for option in fitting if len(option.columns) == most))
            open_columns -= family[-1].covers
        # What changes single values goes first: a later recoding would make its columns unusable for it.
        return tuple(sorted(family, key=lambda option: option.unit.recodes))

    def _options(self, unit: type[Method], reach: set[str]) -> Iterator[Option]:
        """A method with each combination of its choices, on all columns of one level that it takes."""
        if not unit.takes_columns:
            yield from (Option(unit, (), choices) for choices in combinations(unit))
            return
        takes = set(unit.search_columns(self.schema)) & reach
        for levels in _LEVELS:
            names = tuple(a.name for a in self.schema if a.name in takes and self._level(a.name) in levels)
            if {self._level(name) for name in names} == set(levels):
                usable = self._usable(unit, names)
                options = (Option(unit, names, choices, usable) for choices in combinations(unit))
                yield from (option for option in options if self._is_valid(option))

    def _is_valid(self, option: Option) -> bool:
        try:
            option.at(1.0).acts_on(self.schema)
        except InputError:
            return False
        return True

    def _level(self, name: str) -> Level:
        return Level.PERSON if self.schema.household is None else self.schema[name].level

    def _rules_of(self, columns: tuple[str, ...]) -> bool:
        """Whether declared rules of persons are about these columns."""
        return bool(self._ruled & set(columns)) and {self._level(name) for name in columns} == {Level.PERSON}

    def _usable(self, unit: type[Method], columns: tuple[str, ...]) -> dict[str, Any]:
        """Whole numbers and signs, where the unit can keep them; sums of parts come first. Broken rules are mended."""
        found: dict[str, Any] = {}
        if unit.perturbs and not unit.recodes and self._rules_of(columns):
            found["post_edit"] = "smallest change"
        if "integers" in unit.model_fields and self._whole & set(columns) and not self._ruled & set(columns):
            found["integers"] = True
        bounded = [name for name in columns if name in self._nonnegative]
        if "bounds" in unit.model_fields and bounded:
            found["bounds"] = dict.fromkeys(bounded, (0.0, None))
        shared = [name for name in self.reaches[0] if self.schema[name].role is Role.KEY and name not in columns]
        shared = [*self._told, *(name for name in shared if self._level(name) is Level.HOUSEHOLD)]
        if issubclass(unit, KeyMethod) and "within" in unit.model_fields and shared:
            found["within"] = tuple(sorted(shared))
        return {name: value for name, value in found.items() if value != ()}


def _units(methods: Sequence[str] | None) -> list[type[Method]]:
    if methods is not None:
        return [unit for name in methods if search_ranges(unit := registry.find("methods", name))]
    return [unit for unit in registry.units("methods").values() if unit.searched and search_ranges(unit)]


def _without_copies(families: list[Family]) -> list[Family]:
    kept: list[Family] = []
    seen = set()
    for family in families:
        named = tuple((option.name, option.columns) for option in family)
        if named not in seen:
            seen.add(named)
            kept.append(family)
    return kept
