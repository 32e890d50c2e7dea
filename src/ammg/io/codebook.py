"""The codebook: what the columns of a file mean, for formats that cannot say it themselves.

Its words are those of DDI Codebook 2.5 (variable, label, categories with their labels and missing flags) with the
storage type beside them, so that a text file reads back with the types it was written from. Roles are the owner's
and never leave.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import yaml

from ammg.data.attribute import Attribute, Kind
from ammg.data.encoding import kind_of
from ammg.data.microdata import Microdata
from ammg.data.schema import Schema
from ammg.errors import InputError
from ammg.io.atomic import atomic
from ammg.io.types import named_type, restored, type_name

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
        return cls({name: _variable(schema[name], dtype, typed) for name, dtype in table.schema.items()}, file)

    @classmethod
    def beside(cls, source: str | Path) -> Codebook:
        """The codebook beside a file, empty when there is none."""
        path = codebook_path(source)
        return cls.load(path) if path.is_file() else cls()

    @classmethod
    def load(cls, path: str | Path) -> Codebook:
        """Read a codebook from a YAML file."""
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        try:
            return cls._from(yaml.load(Path(path).read_text(encoding="utf-8"), Loader=loader), str(path))
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            raise InputError(f"Codebook '{path}' is not YAML: {str(error).splitlines()[0]}") from None

    @classmethod
    def parse(cls, text: str, origin: str) -> Codebook:
        """Read a codebook from the JSON text that a file or table holds."""
        try:
            return cls._from(json.loads(text), f"codebook of {origin}")
        except json.JSONDecodeError as error:
            raise InputError(f"The codebook in '{origin}' is damaged: {error}.") from None

    @classmethod
    def _from(cls, document: Any, origin: str) -> Codebook:
        try:
            variables = {str(variable["name"]): variable for variable in document["variables"]}
            return cls(variables, document.get("file") or {}, origin)
        except (KeyError, TypeError):
            raise InputError(f"Codebook '{origin}' has no list of variables, each with a name.") from None

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
        return {
            name: named_type(variable["type"], [category["value"] for category in _inside(variable)])
            for name, variable in self.variables.items()
            if "type" in variable
        }

    def apply(self, table: pl.DataFrame, known: Mapping[str, Attribute] | None = None) -> Microdata:
        """Microdata with types and meaning as described; what the file itself says (`known`) comes first."""
        types = self.dtypes()
        changed = {name: self._restored(table[name], types[name]) for name in table.columns if name in types}
        table = table.with_columns(**changed)
        return Microdata(table, self.schema(table.schema, known or {}))

    def schema(self, types: Mapping[str, pl.DataType], known: Mapping[str, Attribute] | None = None) -> Schema:
        """The attributes of a table with these column types."""
        own = known or {}
        plain = {name: own.get(name) or Attribute(name=name, kind=kind_of(dtype)) for name, dtype in types.items()}
        return Schema(
            tuple(
                _attribute(self.variables[name], attribute) if name in self.variables else attribute
                for name, attribute in plain.items()
            )
        )

    def _restored(self, values: pl.Series, dtype: pl.DataType) -> pl.Series:
        try:
            return restored(values, dtype)
        except ValueError as error:
            raise InputError(
                f"Column '{values.name}' does not fit its codebook, which says {type_name(values.name, dtype)}: "
                f"{error}. Correct or remove '{self.origin}'."
            ) from None


def codebook_path(target: str | Path) -> Path:
    """`masked.csv` has its codebook in `masked.codebook.yaml`."""
    path = Path(target).expanduser()
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
    single = [category for category in categories if "value" in category]
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


def _inside(variable: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [c for c in variable.get("categories", ()) if "value" in c and not c.get("outside")]
