"""Reads a project file section by section, so that every problem is found and none hides another."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import BaseModel, TypeAdapter, ValidationError

from ammg import registry
from ammg.data.microdata import Microdata
from ammg.errors import AmmgError, InputError, ProjectError, did_you_mean
from ammg.methods.method import RiskAbove
from ammg.params import faults
from ammg.pipeline.where import parsed

if TYPE_CHECKING:
    from ammg.pipeline.project import Project


class _Loader(yaml.SafeLoader):
    """The safe loader, which also notices a key that is given twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                line = node.start_mark.line + 1
                raise InputError(f"'{key}' is given twice in the mapping at line {line}: keep one.")
        return super().construct_mapping(node, deep=deep)


def load_yaml(path: Path) -> dict[str, Any]:
    """The document as a mapping, or an error that says where it is broken."""
    if not path.is_file():
        raise InputError(f"Project file '{path}' does not exist: check the name.")
    try:
        document = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)
    except InputError as error:
        raise ProjectError(str(path), [str(error)]) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ProjectError(str(path), [f"not a YAML document: {' '.join(str(error).split())}"]) from None
    if not isinstance(document, dict):
        raise ProjectError(str(path), ["it must be a mapping with source, roles, methods …"])
    return document


class ProjectReader:
    """Turns plain values into sections and keeps what is wrong with them."""

    def __init__(self, document: Mapping[str, Any], folder: Path) -> None:
        self.document = document
        self.folder = folder
        self.problems: list[str] = []
        self.places: dict[str, list[str]] = {}
        """Where in the document each valid unit of a family stands."""
        self.broken: list[tuple[str, Mapping[str, Any]]] = []
        """Where methods with a wrong parameter stand, and what else is said of them, which is checked all the same."""

    def sections(self, model: type[BaseModel]) -> dict[str, Any]:
        """The valid sections; problems are noted for the others."""
        values: dict[str, Any] = {}
        known = [name for name in model.model_fields if name != "folder"]
        for name, value in self.document.items():
            if name not in known:
                self.problems.append(f"{name}: unknown section.{did_you_mean(name, known)}")
                continue
            if name == "source":
                value = {"path": value} if isinstance(value, str) else value
            if name in ("methods", "measures"):
                values[name] = self._units(name, value)
                continue
            annotation: Any = model.model_fields[name].annotation
            try:
                values[name] = TypeAdapter(annotation).validate_python(value)
            except ValidationError as error:
                self._note(name, error, list(getattr(annotation, "model_fields", ())))
        if "source" not in self.document:
            self.problems.append("source: missing. Name the file to read, e.g. source: patients.csv")
        elif "source" in values and not isinstance(values["source"].get("path"), str):
            self.problems.append("source: has no path. Write source: {path: patients.csv, …}")
            del values["source"]
        self._check_thresholds(values)
        for name, field in model.model_fields.items():
            if name not in values and not field.is_required() and name != "folder":
                values[name] = field.get_default(call_default_factory=True)
        return values

    def _check_thresholds(self, values: dict[str, Any]) -> None:
        """Measures must exist, whatever is wrong with their limits; valid ones are kept under their own names."""
        limits = _mapping(self.document.get("thresholds"))
        found = {name: self._find("measures", str(name), f"thresholds.{name}") for name in limits}
        if "thresholds" not in values:
            return
        for name, limit in values["thresholds"].items():
            if not limit >= 0:
                self.problems.append(f"thresholds.{name}: must be at least 0 (it is {limit}).")
        values["thresholds"] = {
            registry.snake(unit.__name__) if unit else name: values["thresholds"][name] for name, unit in found.items()
        }

    def _units(self, family: str, entries: Any) -> tuple[Any, ...]:
        if not isinstance(entries, list):
            self.problems.append(f"{family}: must be a list, this is {entries!r}.")
            return ()
        places = [f"{family}[{position}]" for position in range(1, len(entries) + 1)]
        found = [(place, self._unit(family, entry, place)) for place, entry in zip(places, entries, strict=True)]
        self.places[family] = [place for place, unit in found if unit is not None]
        return tuple(unit for _, unit in found if unit is not None)

    def _unit(self, family: str, entry: Any, place: str) -> Any:
        if isinstance(entry, str):
            entry = {entry: {}}
        if not isinstance(entry, dict) or len(entry) != 1:
            self.problems.append(f"{place}: must be a name, or a name with its parameters, this is {entry!r}.")
            return None
        ((name, parameters),) = entry.items()
        unit = self._find(family, str(name), place)
        if unit is None:
            return None
        try:
            return unit.model_validate(parameters or {})
        except ValidationError as error:
            self._note(f"{place} {name}", error, list(unit.model_fields))
            if family == "methods":
                self.broken.append((f"{place} {name}", _mapping(parameters)))
            return None

    def _find(self, family: str, name: str, place: str) -> Any:
        try:
            return registry.find(family, name)
        except AmmgError as error:
            self.problems.append(f"{place}: {error}")
            return None

    def _note(self, place: str, error: ValidationError, known: list[str] | None = None) -> None:
        for parameter, message in faults(error, known or []):
            where = f"{place}.{parameter}" if parameter else place
            self.problems.append(f"{where}: {message}" + ("" if message.endswith("?") else "."))

    def check_columns(self, project: Project, data: Microdata) -> None:
        """Columns that methods and scenario name must exist and be of a kind that the method accepts."""
        changed: set[str] = set()
        for number, method in zip(self.places.get("methods", ()), project.methods, strict=True):
            place = f"{number} {method.name}"
            named = (*(method.columns or ()), *(getattr(method, "within", None) or ()))
            known = self._check_names(place, named, data)
            self._check_condition(place, method.where, data)
            if method.columns and known and not changed.intersection(method.columns):
                try:
                    method.chosen(data.schema)
                except AmmgError as error:
                    self.problems.append(f"{place}: {error}")
            changed.update(method.columns or ())
        for place, parameters in self.broken:
            for field in ("columns", "within"):
                self._check_names(place, _texts(parameters.get(field)), data)
            where = parameters.get("where")
            if isinstance(where, str) and where:
                self._check_condition(place, where, data)
            elif isinstance(risk := _mapping(where).get("risk"), str):
                self._find("measures", risk, f"{place}.where")
        self._check_search(project)
        if project.order == "households" and data.schema.household is None:
            self.problems.append("order: no attribute has the role household: give it to one, or leave the order out.")
        scenario = project.scenario
        self._check_names("scenario.known", scenario.known or (), data)
        self._check_names("scenario.error", scenario.error, data)
        if scenario.external is not None:
            match, held = scenario.external.match, scenario.external.data
            if self._check_names("scenario.external.match", [match], data) and held is not None:
                self._check_names("scenario.external.match", [match], held)
        for record, names in scenario.known_by_record.items():
            self._check_names(f"scenario.known_by_record.{record}", names, data)

    def _check_search(self, project: Project) -> None:
        self._find("measures", project.search.loss, "search.loss")
        for name in project.search.methods or ():
            self._find("methods", name, "search.methods")

    def _check_condition(self, place: str, where: str | RiskAbove | None, data: Microdata) -> None:
        if isinstance(where, RiskAbove):
            self._find("measures", where.risk, f"{place}.where")
        elif where is not None:
            try:
                names = parsed(where).meta.root_names()
            except AmmgError as error:
                self.problems.append(f"{place}.where: {error}")
            else:
                self._check_names(f"{place}.where", dict.fromkeys(names), data)

    def _check_names(self, place: str, names: Iterable[str], data: Microdata) -> bool:
        unknown = [name for name in names if name not in data.schema]
        for name in unknown:
            self.problems.append(f"{place}: column '{name}' not found.{did_you_mean(name, data.columns)}")
        return not unknown


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _texts(value: Any) -> list[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []
