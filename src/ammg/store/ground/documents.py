"""Project documents as the store accepts them: parsed, checked, and without references outside the project."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from ammg.data.hierarchy_rules import is_rule
from ammg.errors import InputError, Problem, ProjectError, did_you_mean
from ammg.projects.document import parse_document
from ammg.projects.draft import Draft
from ammg.projects.project import Project

LONGEST = 2**20
"""Most bytes of a document."""
BESIDE = ("layout", "catalog")
"""Reading options that name another file."""


def parsed_document(given: str | Mapping[str, Any]) -> tuple[str, dict[str, Any], Draft]:
    """The text to be stored, the document in it, and its meaning.

    Raises:
        ProjectError: it is not a project file.
    """
    if isinstance(given, str):
        text = given
    else:
        text = yaml.safe_dump(dict(given), sort_keys=False, allow_unicode=True, default_flow_style=None, width=120)
    if len(text.encode(errors="replace")) > LONGEST:
        raise InputError(f"The project file has more than {LONGEST // 2**20} MiB: put long hierarchies into data sets.")
    document = parse_document(text, "The project file")
    return text, document, Draft.parse(document)


def as_json(value: Any) -> Any:
    """A document as JSON: dates, infinity and NaN as YAML writes them, keys as text."""
    if isinstance(value, Mapping):
        return {str(name): as_json(part) for name, part in value.items()}
    if isinstance(value, list | tuple | set):
        return [as_json(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    if value is None or isinstance(value, str | int | float):
        return value
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def referenced(project: Project) -> dict[str, str]:
    """The names of files that a project reads, by their position in it."""
    places: dict[str, str] = {}
    if source := project.source.get("path") if project.source else None:
        places["source"] = str(source)
    options = project.source or {}
    places |= {f"source.{option}": str(options[option]) for option in BESIDE if options.get(option) is not None}
    external = project.scenario.external
    if external is not None and external.path is not None:
        places["scenario.external"] = external.path
    for name, tree in project.hierarchies.items():
        if isinstance(tree, str) and not is_rule(tree):
            places[f"hierarchies.{name}"] = tree
    return places


def check_document(draft: Draft, data_sets: Mapping[str, Iterable[str]]) -> None:
    """Refuse a document with problems; `data_sets` has the known columns of each data set of the project.

    Raises:
        ProjectError: all problems.
    """
    problems = list(draft.problems)
    project = draft.project
    for place, name in referenced(project).items():
        problems += _outside(place, name) or _unknown(place, name, data_sets)
    for option, value in (project.source or {}).items():
        if option not in ("path", *BESIDE) and isinstance(value, str) and len(value) > 1:
            problems += _outside(f"source.{option}", value)
    if project.secret_file is not None:
        problems.append(Problem("secret_file", "remove it: the server keeps the secret of each masked file."))
    targets = {"target": project.target, **{f"tables[{n}].target": t.target for n, t in enumerate(project.tables, 1)}}
    for place, target in targets.items():
        problems += _outside(place, target) if target is not None else []
    columns = list(data_sets.get(str(project.source.get("path")), ())) if project.source else []
    problems += _unknown_columns(project, columns) if columns else []
    if problems:
        raise ProjectError("The project file", problems)


def _outside(place: str, name: str) -> list[Problem]:
    """Refuse paths and addresses, which lead out of the project."""
    if "://" in name:
        return [Problem(place, "is a database address: import the table through a connection, and name the data set.")]
    if "/" in name or "\\" in name or name.startswith((".", "~")) or not name.isprintable():
        return [Problem(place, f"'{name[:100]}' is a path: write the name of a data set of this project.")]
    return []


def _unknown(place: str, name: str, data_sets: Mapping[str, Any]) -> list[Problem]:
    if name in data_sets:
        return []
    known = f"{did_you_mean(name, data_sets)}" if data_sets else " Upload it first."
    return [Problem(place, f"there is no data set '{name}' in this project.{known}")]


def _unknown_columns(project: Project, columns: list[str]) -> list[Problem]:
    sections = {
        section: getattr(project, section)
        for section in ("roles", "kinds", "levels", "links", "labels", "hierarchies", "missing_codes")
    }
    named = [(f"{section}.{name}", name) for section, entries in sections.items() for name in entries]
    named += [(f"methods[{n}]", name) for n, unit in enumerate(project.methods, 1) for name in unit.columns or ()]
    return [
        Problem(place, f"column '{name}' not found.{did_you_mean(name, columns)}")
        for place, name in named
        if name not in columns
    ]
