"""The public version of a project file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import yaml

from ammg.data.schema import Schema
from ammg.projects.project import Project
from ammg.release.public_summary import hidden_names, public_parameters

_PRIVATE = ("source", "target", "secret_file", "hierarchies")
_ABOUT_PEOPLE = ("known_by_record", "targets", "external")


def public_yaml(project: Project, schema: Schema) -> str:
    """The project without source, target and secret file, and without what could name people or list values.

    Hierarchies list every original value, a scenario may name records, and a condition or a rule on identifiers says
    whom it is about. `schema` is that of the data.
    """
    plain: dict[str, Any] = yaml.safe_load(project.model_copy(update={"switched_off": {}}).to_yaml(full=True))
    hidden = hidden_names(schema)
    plain = {section: value for section, value in plain.items() if section not in _PRIVATE}
    plain["scenario"] = {name: told for name, told in plain.get("scenario", {}).items() if name not in _ABOUT_PEOPLE}
    plain["methods"] = [_public(entry, hidden) for entry in plain["methods"]]
    plain["rules"] = [rule for rule in plain.get("rules", ()) if not any(name in str(rule) for name in hidden)]
    told = {section: value for section, value in plain.items() if value or section == "methods"}
    return yaml.safe_dump(told, sort_keys=False, allow_unicode=True, default_flow_style=None, width=100)


def _public(entry: str | dict[str, Any], hidden: Iterable[str]) -> str | dict[str, Any]:
    if isinstance(entry, str):
        return entry
    ((name, parameters),) = entry.items()
    return {name: public_parameters(parameters, hidden)}
