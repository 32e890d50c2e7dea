"""What a form needs: every unit of a family with its parameters as JSON Schema, and the words of a project file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from ammg import registry
from ammg.data.attribute import Kind, Level, Role
from ammg.data.scenario import Scenario
from ammg.params import prose, search_ranges
from ammg.projects.project import SearchSettings


@dataclass(frozen=True)
class Unit:
    """A method, a measure or a format as a form shows it."""

    name: str
    meaning: str
    """One sentence."""
    text: str
    """The whole description."""
    also_called: tuple[str, ...]
    family: str | None
    """Of a measure: risk or loss."""
    room: str
    """Methods and measures that work alike share a word: noise, ranks, recoding, linkage, …"""
    accepts: str | None
    """Of a method: the kinds of columns that it masks."""
    endings: tuple[str, ...]
    """Of a format."""
    slow: str
    """Why it is slow, if it is."""
    searched: tuple[str, ...]
    """Parameters that the automatic search varies."""
    schema: dict[str, Any]
    """JSON Schema of the parameters."""


@dataclass(frozen=True)
class Vocabulary:
    """The words that a project file is written in."""

    roles: tuple[str, ...]
    kinds: tuple[str, ...]
    levels: tuple[str, ...]
    scenario: dict[str, Any]
    """JSON Schema."""
    search: dict[str, Any]
    """JSON Schema."""


def unit_forms(family: str) -> tuple[Unit, ...]:
    """All units of a family, in alphabetical order."""
    return tuple(_form(name, unit) for name, unit in registry.units(family).items())


def unit_form(family: str, name: str) -> Unit:
    """One unit, by any of its names."""
    own = registry.own_name(family, name)
    return _form(own, registry.find(family, own))


@cache
def vocabulary() -> Vocabulary:
    """The words of roles, kinds and levels, and the forms of scenario and search."""
    kinds = (Kind.CONTINUOUS, Kind.INTEGER, Kind.DATE, Kind.ORDINAL, Kind.NOMINAL, Kind.TEXT)
    return Vocabulary(
        tuple(role.value for role in Role),
        tuple(kind.label for kind in kinds),
        tuple(level.value for level in Level),
        Scenario.model_json_schema(schema_generator=_Plain),
        SearchSettings.model_json_schema(schema_generator=_Plain),
    )


_made: dict[type[Any], Unit] = {}


def _form(name: str, unit: type[Any]) -> Unit:
    if unit not in _made:
        _made[unit] = _described(name, unit)
    return _made[unit]


def _described(name: str, unit: type[Any]) -> Unit:
    return Unit(
        name=name,
        meaning=registry.meaning(unit),
        text=prose(unit),
        also_called=tuple(map(registry.snake, registry.other_names(unit))),
        family=getattr(unit, "family", None),
        room=_room(unit),
        accepts=unit.accepts.label if hasattr(unit, "accepts") else None,
        endings=tuple(getattr(unit, "suffixes", ())),
        slow=str(getattr(unit, "slow", "")),
        searched=tuple(search_ranges(unit)),
        schema=unit.model_json_schema(schema_generator=_Plain),
    )


def _room(unit: type[Any]) -> str:
    """The folder that a unit lies in; plug-ins have one of their own."""
    parts = unit.__module__.split(".")
    if parts[0] != "ammg":
        return "plug-ins"
    return parts[2] if len(parts) > 3 else ""


class _Plain(GenerateJsonSchema):
    """Tables that a program hands over are no part of a form."""

    def is_instance_schema(self, schema: Any) -> dict[str, Any]:
        """Anything."""
        return {}
