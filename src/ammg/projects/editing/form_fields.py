"""The fields of a form, from a unit's JSON Schema, and what is wrong with their values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import ValidationError

from ammg import registry
from ammg.data.attribute import Attribute, Kind, Level, Role
from ammg.data.condition import parsed
from ammg.data.schema import Schema
from ammg.errors import AmmgError, did_you_mean
from ammg.params import faults
from ammg.projects.forms import Unit

Widget = Literal[
    "number", "integer", "switch", "choice", "text", "column", "columns", "numbers", "texts", "mapping", "document"
]
_ABOUT_COLUMNS = re.compile(r"\b(columns?|attributes?|keys?)\b", re.IGNORECASE)
_FIRST_CLAUSE = re.compile(r"[^.;:,]*")
_BOUNDS = {"exclusiveMinimum": ">", "minimum": "≥", "exclusiveMaximum": "<", "maximum": "≤"}
_EVERYWHERE = ("where", "post_edit", "missing", "each", "outlying")
"""Parameters that many units share and few people change."""

_FEW = 7
"""Parameters that a form shows all at once."""


@dataclass(frozen=True)
class FormField:
    """One parameter as a form shows it."""

    name: str
    widget: Widget
    help: str
    bounds: str = ""
    """In words: "> 0, ≤ 100"."""
    choices: tuple[Any, ...] = ()
    columns: tuple[str, ...] = ()
    """Those that fit."""
    values: Literal["number", "integer", "text"] = "number"
    """Of a mapping."""
    default: Any = None
    is_required: bool = False
    is_main: bool = False
    """Whether it is what people choose first; the others have defaults that seldom change."""

    @property
    def label(self) -> str:
        """The name in plain words."""
        return self.name.replace("_", " ")


def schema_of(attributes: Sequence[Mapping[str, Any]], document: Mapping[str, Any]) -> Schema:
    """The attributes that an analysis found, as the sections of a project file describe them."""
    sections = {name: given if isinstance(given := document.get(name), Mapping) else {} for name in _SECTIONS}
    return Schema(
        tuple(
            Attribute(
                name=one["name"],
                kind=Kind.of(sections["kinds"].get(one["name"]) or one.get("stored_kind") or one["kind"]),
                role=Role(sections["roles"].get(one["name"], "other")),
                level=Level(sections["levels"].get(one["name"], "person")),
            )
            for one in attributes
        )
    )


_SECTIONS = ("kinds", "roles", "levels")


def fields_of(family: str, unit: Unit, schema: Schema) -> tuple[FormField, ...]:
    """The fields of a unit for these attributes, those that people choose first in front."""
    found = [
        field
        for name, given in unit.schema.get("properties", {}).items()
        if (field := _field(family, unit, name, given, schema)) is not None
    ]
    return tuple(sorted(found, key=lambda field: not field.is_main))


def problems_of(family: str, name: str, parameters: Mapping[str, Any], schema: Schema) -> dict[str, str]:
    """Problems, one sentence per parameter; under the empty name, problems of several parameters together."""
    unit = registry.find(family, name)
    try:
        made = unit.model_validate(dict(parameters))
    except ValidationError as error:
        told: dict[str, str] = {}
        for place, message in faults(error, list(unit.model_fields)):
            field, _, rest = place.partition(".")
            told.setdefault(field, _sentence(message if not rest else f"{rest}: {message}"))
        return told
    except AmmgError as error:
        return {"": str(error)}
    return dict(_unfit(made, schema)) if len(schema) else {}


def _unfit(unit: Any, schema: Schema) -> Iterator[tuple[str, str]]:
    """Columns that are not there, or of a kind that the unit cannot use."""
    for field in type(unit).model_fields:
        value = getattr(unit, field)
        if field == "where" and isinstance(value, str):
            try:
                names: Sequence[str] = parsed(value).meta.root_names()
            except AmmgError as error:
                yield field, str(error)
                continue
        elif field in ("columns", "within"):
            names = value or ()
        else:
            continue
        unknown = [name for name in names if name not in schema]
        if unknown:
            yield field, f"Column '{unknown[0]}' not found.{did_you_mean(unknown[0], schema.names)}"
        elif field == "columns" and hasattr(unit, "chosen"):
            try:
                unit.chosen(schema)
            except AmmgError as error:
                yield field, str(error)


def _field(family: str, unit: Unit, name: str, given: Mapping[str, Any], schema: Schema) -> FormField | None:
    made = registry.find(family, unit.name)
    if name == "columns" and not getattr(made, "takes_columns", True):
        return None
    options = [option for option in given.get("anyOf", [given]) if option.get("type") != "null"]
    help_text = str(given.get("description", ""))
    widget, facts = _widget(options, f"{name} {help_text}")
    if widget in ("column", "columns") or (widget == "mapping" and _names_columns(help_text)):
        accepts = made.accepts if name == "columns" and hasattr(made, "accepts") else Kind.ANY
        facts["columns"] = tuple(attribute.name for attribute in schema if attribute.kind & accepts)
    is_required = name in unit.schema.get("required", ())
    are_few = len([field for field in unit.schema["properties"] if field not in _EVERYWHERE]) <= _FEW
    return FormField(
        name=name,
        widget=widget,
        help=help_text,
        default=given.get("default"),
        is_required=is_required,
        is_main=name not in _EVERYWHERE and (are_few or is_required or name == "columns" or name in unit.searched),
        **facts,
    )


def _widget(options: Sequence[Mapping[str, Any]], help_text: str) -> tuple[Widget, dict[str, Any]]:
    """What a parameter is edited with; where nothing better fits, as text."""
    if len(options) != 1:
        return "document", {}
    (option,) = options
    kind = option.get("type")
    if "enum" in option:
        return "choice", {"choices": tuple(option["enum"])}
    if kind in ("number", "integer"):
        return kind, {"bounds": ", ".join(f"{sign} {option[key]:g}" for key, sign in _BOUNDS.items() if key in option)}
    if kind == "boolean":
        return "switch", {}
    if kind == "string":
        return ("column" if _names_columns(help_text) else "text"), {}
    if kind == "array" and (of := option.get("items", {}).get("type")) in ("string", "number", "integer"):
        if "enum" in option["items"] or of != "string":
            return ("texts" if of == "string" else "numbers"), {}
        return ("columns" if _names_columns(help_text) else "texts"), {}
    if kind == "object" and (of := _plain_type(option.get("additionalProperties"))) is not None:
        return "mapping", {"values": of}
    return "document", {}


def _plain_type(given: Any) -> str | None:
    names = {"number": "number", "integer": "integer", "string": "text"}
    return names.get(str(given.get("type"))) if isinstance(given, Mapping) else None


def _names_columns(help_text: str) -> bool:
    """Whether the first words of a description are about columns."""
    first = _FIRST_CLAUSE.match(help_text)
    return bool(first and _ABOUT_COLUMNS.search(first[0]))


def _sentence(message: str) -> str:
    said = message.replace("input should", "should", 1)
    return f"{said[:1].upper()}{said[1:]}" + ("" if said.endswith(("?", ".")) else ".")
