"""Whether everything that a project names exists: methods and measures and, given the data, columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ammg.data.condition import parsed
from ammg.data.microdata import Microdata
from ammg.errors import AmmgError, Problem, did_you_mean
from ammg.methods.method import RiskAbove

if TYPE_CHECKING:
    from ammg.projects.project import Project
    from ammg.projects.reader import ProjectReader


def check_names_of_units(project: Project, reader: ProjectReader) -> None:
    """Note the methods and measures that conditions and the search name and that do not exist."""
    for number, method in zip(reader.places.get("methods", ()), project.methods, strict=True):
        if isinstance(method.where, RiskAbove):
            reader.find("measures", method.where.risk, f"{number} {method.name}.where")
    for place, parameters in reader.broken:
        where = parameters.get("where")
        if isinstance(where, Mapping) and isinstance(risk := where.get("risk"), str):
            reader.find("measures", risk, f"{place}.where")
    reader.find("measures", project.search.loss, "search.loss")
    for name in project.search.methods or ():
        reader.find("methods", name, "search.methods")


def check_columns(
    project: Project, data: Microdata, places: Iterable[str], broken: Iterable[tuple[str, Mapping[str, Any]]]
) -> list[Problem]:
    """Columns that methods and scenario name must exist and be of a kind that the method accepts."""
    check = _Check(data)
    changed: set[str] = set()
    for number, method in zip(places, project.methods, strict=True):
        place = f"{number} {method.name}"
        known = check.names(place, (*(method.columns or ()), *(getattr(method, "within", None) or ())))
        check.condition(place, method.where)
        if method.columns and known and not changed.intersection(method.columns):
            try:
                method.chosen(data.schema)
            except AmmgError as error:
                check.problems.append(Problem(place, str(error)))
        changed.update(method.columns or ())
    for place, parameters in broken:
        for field in ("columns", "within"):
            check.names(place, _texts(parameters.get(field)))
        check.condition(place, parameters.get("where") or None)
    if project.order == "households" and data.schema.household is None:
        message = "no attribute has the role household: assign it, or remove the order."
        check.problems.append(Problem("order", message))
    for place, request in ((f"tables[{number}]", request) for number, request in enumerate(project.tables, 1)):
        check.names(place, (*request.rows, *request.columns, *([request.value] if request.value else [])))
    _check_scenario(project, check)
    check.names("goal.untouched", project.goal.untouched)
    for section, survivors in (("survive", project.survive), ("goal.survive", project.goal.survive)):
        for position, survivor in enumerate(survivors, 1):
            check.names(f"{section}[{position}]", survivor.columns)
            check.condition(f"{section}[{position}]", survivor.measure.where)
    return check.problems


def _check_scenario(project: Project, check: _Check) -> None:
    scenario = project.scenario
    check.names("scenario.known", scenario.known or ())
    check.names("scenario.error", scenario.error)
    if scenario.external is not None:
        match, held = scenario.external.match, scenario.external.data
        if check.names("scenario.external.match", [match]) and held is not None:
            check.problems += _unknown("scenario.external.match", [match], held)
    for record, names in scenario.known_by_record.items():
        check.names(f"scenario.known_by_record.{record}", names)


class _Check:
    """Compares names with the columns of the data, and keeps what is wrong."""

    def __init__(self, data: Microdata) -> None:
        self.data = data
        self.problems: list[Problem] = []

    def names(self, place: str, names: Iterable[str]) -> bool:
        unknown = _unknown(place, names, self.data)
        self.problems += unknown
        return not unknown

    def condition(self, place: str, where: object) -> None:
        """What a condition in SQL names; a risk threshold names no column."""
        if not isinstance(where, str):
            return
        try:
            names = parsed(where).meta.root_names()
        except AmmgError as error:
            self.problems.append(Problem(f"{place}.where", str(error)))
        else:
            self.names(f"{place}.where", dict.fromkeys(names))


def _unknown(place: str, names: Iterable[str], data: Microdata) -> list[Problem]:
    return [
        Problem(place, f"column '{name}' not found.{did_you_mean(name, data.columns)}")
        for name in names
        if name not in data.schema
    ]


def _texts(value: Any) -> list[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []
