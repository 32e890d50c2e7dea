"""The codebook: what the columns of a file mean, for formats that cannot say it themselves.

Its words are those of DDI Codebook 2.5 (variable, label, categories with their labels and missing flags) with the
storage type beside them, so that a text file reads back with the types it was written from. Roles are the owner's
and never leave.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl
import yaml

from ammg.data.attribute import Attribute, Kind
from ammg.data.encoding import kind_of
from ammg.data.microdata import Microdata
from ammg.data.schema import Schema
from ammg.errors import InputError
from ammg.io.atomic import atomic, expanded
from ammg.io.types import named_type, restored, type_name
from ammg.io.value_codes import Codes, decoded
from ammg.io.yaml_faults import undecodable
from ammg.io.yaml_text import parse_long_yaml

KEY = "ammg.codebook"
"""Where Parquet and Arrow files hold their codebook."""


@dataclass(frozen=True)
class Codebook:
    """The variables of a file by name, and facts about how the file is written."""

    variables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    file: Mapping[str, Any] = field(default_factory=dict)
    origin: str = "codebook"

    @classmethod
    def of(cls, table: pl.DataFrame, schema: Schema, typed: bool = True, **file: Any) -> Codebook:
        """Describe a table; `typed` for formats that cannot say the types themselves."""
        if schema.label:
            file["label"] = schema.label
        return cls({name: _variable(schema[name], dtype, typed) for name, dtype in table.schema.items()}, file)

    def with_codes(self, codes: Codes) -> Codebook:
        """The same codebook with the numbers that stand for categories in the file."""
        variables = dict(self.variables)
        for name, numbers in codes.items():
            categories = [
                {**category, "code": numbers[category["value"]]} if category.get("value") in numbers else category
                for category in variables[name].get("categories", ())
            ]
            variables[name] = {**variables[name], "categories": categories}
        return replace(self, variables=variables)

    @classmethod
    def beside(cls, source: str | Path) -> Codebook:
        """The codebook beside a file, empty when there is none."""
        path = codebook_path(source)
        return cls.load(path) if path.is_file() else cls()

    @classmethod
    def load(cls, path: str | Path) -> Codebook:
        """Read a codebook from a YAML file."""
        try:
            document = parse_long_yaml(Path(path).read_text(encoding="utf-8"))
        except UnicodeDecodeError as error:
            raise InputError(f"Codebook '{path}' cannot be read: {undecodable(error)}") from None
        except InputError as error:
            raise InputError(f"Codebook '{path}' cannot be read: {error}") from None
        return cls._from(document, str(path))

    @classmethod
    def parse(cls, text: str, origin: str) -> Codebook:
        """Read a codebook from the JSON text that a file or table holds."""
        try:
            return cls._from(json.loads(text), f"codebook of {origin}")
        except (json.JSONDecodeError, RecursionError) as error:
            raise InputError(f"The codebook in '{origin}' is damaged: {error}.") from None

    @classmethod
    def _from(cls, document: Any, origin: str) -> Codebook:
        try:
            variables = {str(variable["name"]): variable for variable in document["variables"]}
            file = document.get("file") or {}
        except (AttributeError, KeyError, TypeError):
            raise InputError(f"Codebook '{origin}' has no list of variables, each with a name.") from None
        for name, variable in variables.items():
            if not _is_described(variable):
                raise InputError(
                    f"Codebook '{origin}': the type or a category of variable '{name}' cannot be read. A category "
                    "needs a value, or from and to."
                )
        if not _is_known(file):
            raise InputError(f"Codebook '{origin}': its facts about the file cannot be read: {file!r:.200}.")
        return cls(variables, file, origin)

    def to_json(self) -> str:
        """One line of JSON."""
        return json.dumps(self._document(), ensure_ascii=False, default=str)

    def variable_json(self, name: str) -> str:
        """One variable as one line of JSON."""
        return json.dumps(self.variables[name], ensure_ascii=False, default=str)

    def to_yaml(self) -> str:
        """A YAML document, variables in file order."""
        dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
        text: str = yaml.dump(self._document(), Dumper=dumper, allow_unicode=True, sort_keys=False, width=110)
        return text

    def _document(self) -> dict[str, Any]:
        document: dict[str, Any] = {"file": dict(self.file)} if self.file else {}
        return document | {"variables": [dict(variable) for variable in self.variables.values()]}

    def dtypes(self) -> dict[str, pl.DataType]:
        """The types that the codebook gives."""
        return {name: self._type(name) for name, variable in self.variables.items() if "type" in variable}

    def _type(self, name: str) -> pl.DataType:
        variable = self.variables[name]
        try:
            return named_type(variable["type"], [category["value"] for category in _inside(variable)])
        except (TypeError, pl.exceptions.PolarsError):  # a category that is missing or there twice
            raise InputError(f"Codebook '{self.origin}': the categories of variable '{name}' must be texts.") from None

    def apply(self, table: pl.DataFrame, known: Mapping[str, Attribute] | None = None, label: str = "") -> Microdata:
        """Microdata with types and meaning as described; what the file says (`known`, its `label`) comes first."""
        types, present = self.dtypes(), set(table.columns)
        texts = {name: decoded(table[name], _single(v)) for name, v in self.variables.items() if name in present}
        table = table.with_columns(**texts)
        changed = {name: self._restored(table[name], types[name]) for name in table.columns if name in types}
        table = table.with_columns(**changed)
        return Microdata(table, self.schema(table.schema, known or {}, label))

    def schema(
        self, types: Mapping[str, pl.DataType], known: Mapping[str, Attribute] | None = None, label: str = ""
    ) -> Schema:
        """The attributes of a table with these column types."""
        own = known or {}
        plain = {name: own.get(name) or Attribute(name=name, kind=kind_of(dtype)) for name, dtype in types.items()}
        return Schema(
            tuple(
                _attribute(self.variables[name], attribute) if name in self.variables else attribute
                for name, attribute in plain.items()
            ),
            label=label or str(self.file.get("label") or ""),
        )

    def _restored(self, values: pl.Series, dtype: pl.DataType) -> pl.Series:
        try:
            return restored(values, dtype)
        except ValueError as error:
            raise InputError(
                f"Column '{values.name}' does not fit its codebook, which says {type_name(values.name, dtype)}: "
                f"{error}. Correct or remove '{self.origin}'."
            ) from None


def _is_described(variable: Mapping[str, Any]) -> bool:
    categories = variable.get("categories", [])
    if not isinstance(variable.get("type", ""), str) or not isinstance(categories, list | tuple):
        return False
    return all(
        isinstance(category, Mapping)
        and not any(isinstance(category.get(word), list | dict) for word in ("value", "from", "to"))
        and isinstance(category.get("code", 0), int | float)
        and ("value" in category or {"from", "to"} <= set(category))
        for category in categories
    )


def _is_known(file: Any) -> bool:
    if not isinstance(file, Mapping):
        return False
    separator, missing = file.get("separator", ","), file.get("missing", [])
    return (
        isinstance(separator, str)
        and len(separator) == 1
        and isinstance(missing, list | tuple)
        and all(isinstance(text, str) for text in missing)
        and isinstance(file.get("records", 0), int)
    )


def codebook_path(target: str | Path) -> Path:
    """`masked.csv` has its codebook in `masked.codebook.yaml`."""
    path = expanded(target)
    return path.with_name(f"{path.stem}.codebook.yaml")


@contextmanager
def with_codebook(target: str, codebook: Codebook) -> Iterator[Path]:
    """Write a file and the codebook beside it: both take their names after both are whole."""
    with atomic(target) as path:
        yield path
        write_codebook(target, codebook)


def write_codebook(target: str, codebook: Codebook) -> None:
    """Write the codebook of a file beside it."""
    with atomic(codebook_path(target)) as beside:
        beside.write_text(codebook.to_yaml(), encoding="utf-8")


def _variable(attribute: Attribute, dtype: pl.DataType, typed: bool) -> dict[str, Any]:
    variable: dict[str, Any] = {"name": attribute.name}
    if attribute.label:
        variable["label"] = attribute.label
    variable["kind"] = attribute.kind.label
    if typed:
        variable["type"] = type_name(attribute.name, dtype)
    if attribute.display_format:
        variable["format"] = attribute.display_format
    dictionary: list[Any] = []
    if isinstance(dtype, pl.Enum):
        dictionary = dtype.categories.to_list() if typed else []
    elif attribute.kind is Kind.ORDINAL and attribute.categories:
        dictionary = list(attribute.categories)
        variable["ordered"] = True
    if categories := list(_categories(attribute, dictionary)):
        variable["categories"] = categories
    return variable


def _categories(attribute: Attribute, values: list[Any]) -> Iterator[dict[str, Any]]:
    """The dictionary where its order means something, then labelled values, then missing codes."""
    missing = {code for code in attribute.missing_codes if not isinstance(code, tuple)}
    for value in dict.fromkeys(
        [*values, *attribute.value_labels, *(c for c in attribute.missing_codes if c in missing)]
    ):
        category: dict[str, Any] = {"value": value}
        if value in attribute.value_labels:
            category["label"] = attribute.value_labels[value]
        if value in missing:
            category["missing"] = True
        if values and value not in values:
            category["outside"] = True  # a labelled value that is no category, such as a missing code
        yield category
    for code in attribute.missing_codes:
        if isinstance(code, tuple):
            yield {"from": code[0], "to": code[1], "missing": True}


def _attribute(variable: Mapping[str, Any], attribute: Attribute) -> Attribute:
    categories = variable.get("categories", ())
    single = _single(variable)
    if any("code" in category for category in single):  # what the file says is about codes
        attribute = attribute.replace(value_labels={}, missing_codes=(), display_format="")
    codes = [category["value"] for category in single if category.get("missing")]
    ranges = [(category["from"], category["to"]) for category in categories if "from" in category]
    kind = Kind.of(variable["kind"]) if "kind" in variable else attribute.kind
    ordered = tuple(category["value"] for category in _inside(variable))
    return attribute.replace(
        kind=kind,
        label=attribute.label or str(variable.get("label", "")),
        value_labels=attribute.value_labels or {c["value"]: str(c["label"]) for c in single if "label" in c},
        missing_codes=attribute.missing_codes or (*codes, *ranges),
        display_format=attribute.display_format or str(variable.get("format", "")),
        categories=ordered if variable.get("ordered") else attribute.categories,
    )


def _single(variable: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [category for category in variable.get("categories", ()) if "value" in category]


def _inside(variable: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [c for c in variable.get("categories", ()) if "value" in c and not c.get("outside")]
