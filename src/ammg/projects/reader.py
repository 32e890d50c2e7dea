"""Reads a project document section by section, so that every problem is found and none hides another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from ammg import registry
from ammg.errors import AmmgError, Problem, did_you_mean
from ammg.measures.measure import Measure
from ammg.params import faults
from ammg.pipeline.limits import Limit, meant
from ammg.pipeline.survive import Survive
from ammg.projects.limit_entries import Entry, at_most, entries

SKIP = "skip"
"""Beside the name of a step: it stays in the list and is not run."""
ELSEWHERE = ("folder", "switched_off")
"""Fields of a project that its file does not say."""


class ProjectReader:
    """Turns plain values into sections and keeps what is wrong with them; it needs no data."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        self.problems: list[Problem] = []
        self.places: dict[str, list[str]] = {}
        """Where in the document each valid unit of a family stands."""
        self.broken: list[tuple[str, Mapping[str, Any]]] = []
        """Position of methods with a wrong parameter, and their other parameters, which are checked all the same."""
        self.switched_off: dict[int, Any] = {}
        """Methods that are not run, by their position in the list."""

    def sections(self, model: type[BaseModel]) -> dict[str, Any]:
        """The valid sections, with defaults for those that are absent or wrong; problems are noted."""
        values: dict[str, Any] = {}
        known = [name for name in model.model_fields if name not in ELSEWHERE]
        for name, value in self.document.items():
            if name in ("limits", "thresholds"):  # they may mean what measures list
                continue
            if name not in known:
                self.note(str(name), f"unknown section.{did_you_mean(name, known)}")
            elif name == "survive":
                values[name] = self._survivors(value)
            elif name in ("methods", "measures"):
                values[name] = self._units(name, value)
            else:
                self._section(name, value, model, values)
        self._check_source(values)
        values["limits"] = self._limits(values.get("measures") or ())
        for name, field in model.model_fields.items():
            if name not in values and not field.is_required() and name not in ELSEWHERE:
                values[name] = field.get_default(call_default_factory=True)
        return values

    def note(self, place: str, message: str) -> None:
        """Keep a problem."""
        self.problems.append(Problem(place, message))

    def find(self, family: str, name: str, place: str) -> Any:
        """The unit of that name; a name that is none is noted."""
        try:
            return registry.find(family, name)
        except AmmgError as error:
            self.note(place, str(error))
            return None

    def _section(self, name: str, value: Any, model: type[BaseModel], values: dict[str, Any]) -> None:
        if name == "source" and isinstance(value, str):
            value = {"path": value}
        annotation: Any = model.model_fields[name].annotation
        try:
            values[name] = TypeAdapter(annotation).validate_python(value)
        except ValidationError as error:
            self._note_faults(name, error, list(getattr(annotation, "model_fields", ())))

    def _check_source(self, values: dict[str, Any]) -> None:
        if "source" not in self.document:
            self.note("source", "is missing. Name the file to read, e.g. source: patients.csv")
        elif "source" in values and not isinstance(values["source"].get("path"), str):
            self.note("source", "has no path. Write source: {path: patients.csv, …}")
            del values["source"]
        values.setdefault("source", {})

    def _survivors(self, given: Any) -> tuple[Survive, ...]:
        found = []
        for position, entry in enumerate(given if isinstance(given, list) else [given], 1):
            try:
                found.append(Survive.read(entry))
            except AmmgError as error:
                self.note(f"survive[{position}]", str(error))
        return tuple(found)

    def _limits(self, measures: tuple[Measure, ...]) -> tuple[Limit, ...]:
        limits: list[Limit] = []
        for section in ("limits", "thresholds"):
            if section not in self.document:
                continue
            for entry in entries(section, self.document[section]):
                if isinstance(entry, Problem):
                    self.problems.append(entry)
                    continue
                limit = self._limit(entry, measures)
                if limit is not None and any(limit.measure == other.measure for other in limits):
                    self.note(entry.place, "is limited twice with the same parameters: keep one.")
                elif limit is not None:
                    limits.append(limit)
        return tuple(limits)

    def _limit(self, entry: Entry, measures: tuple[Measure, ...]) -> Limit | None:
        """The measure must exist, whatever is wrong with its limit."""
        value, measure = at_most(entry.value), None
        if entry.parameters is not None:
            measure = self._unit("measures", {entry.name: entry.parameters}, entry.place)
        elif self.find("measures", entry.name, entry.place) is not None:
            try:
                measure = meant(entry.name, measures)
            except AmmgError as error:
                self.note(entry.place, str(error))
        if value is None:
            self.note(entry.place, f"must be a number of at least 0 (it is {entry.value!r}).")
        return None if measure is None or value is None else Limit(measure, value)

    def _units(self, family: str, given: Any) -> tuple[Any, ...]:
        if not isinstance(given, list):
            self.note(family, f"must be a list; this is {given!r}.")
            return ()
        found = []
        for position, entry in enumerate(given, 1):
            place = f"{family}[{position}]"
            entry, is_off = self._switched(entry, place) if family == "methods" else (entry, False)
            unit = self._unit(family, entry, place)
            if is_off and unit is not None:
                self.switched_off[position] = unit
            elif not is_off:
                found.append((place, unit))
        self.places[family] = [place for place, unit in found if unit is not None]
        return tuple(unit for _, unit in found if unit is not None)

    def _switched(self, entry: Any, place: str) -> tuple[Any, bool]:
        """A step without its switch, and whether it is off."""
        if not isinstance(entry, dict) or SKIP not in entry or len(entry) != 2:
            return entry, False
        if not isinstance(entry[SKIP], bool):
            self.note(f"{place}.{SKIP}", f"must be true or false (it is {entry[SKIP]!r}).")
        return {name: value for name, value in entry.items() if name != SKIP}, entry[SKIP] is True

    def _unit(self, family: str, entry: Any, place: str) -> Any:
        if isinstance(entry, str):
            entry = {entry: {}}
        if not isinstance(entry, dict) or len(entry) != 1:
            self.note(place, f"must be a name, or a name with its parameters; this is {entry!r}.")
            return None
        ((name, parameters),) = entry.items()
        unit = self.find(family, str(name), place)
        if unit is None:
            return None
        try:
            return unit.model_validate({} if parameters is None else parameters)
        except ValidationError as error:
            self._note_faults(f"{place} {name}", error, list(unit.model_fields))
            if family == "methods":
                self.broken.append((f"{place} {name}", parameters if isinstance(parameters, Mapping) else {}))
            return None

    def _note_faults(self, place: str, error: ValidationError, known: list[str]) -> None:
        for parameter, message in faults(error, known):
            where = f"{place}.{parameter}" if parameter else place
            self.note(where, message + ("" if message.endswith("?") else "."))
