"""The attributes of a project as an editable table: what the project says, else what the analysis proposes."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ammg.errors import InputError

FIELDS = ("role", "kind", "level", "label", "link")
_SECTIONS = {"role": "roles", "kind": "kinds", "level": "levels", "label": "labels", "link": "links"}


@dataclass(frozen=True)
class AttributeLine:
    """One attribute, with the evidence for its role."""

    name: str
    role: str
    kind: str
    level: str
    label: str
    link: str
    hierarchy: str
    """The rule of the project, "by value" where levels or a file are given; empty without any."""
    proposed: str
    """The role and kind that the analysis proposes."""
    reason: str
    certainty: str
    distinct: int
    missing: int
    distribution: tuple[tuple[str, int], ...]


def attribute_lines(document: Mapping[str, Any], analysis: Mapping[str, Any]) -> tuple[AttributeLine, ...]:
    """The attributes of a data set under a project file."""
    said = {field: _section(document, section) for field, section in _SECTIONS.items()}
    trees = _section(document, "hierarchies")
    has_roles = bool(said["role"])
    lines = []
    for one in analysis["attributes"]:
        name, tree = one["name"], trees.get(one["name"], "")
        stored = one.get("stored_kind") or one["kind"]
        lines.append(
            AttributeLine(
                name=name,
                role=str(said["role"].get(name, "other" if has_roles else one["role"])),
                kind=str(said["kind"].get(name, stored if has_roles else one["kind"])),
                level=str(said["level"].get(name, "person" if has_roles else one["level"])),
                label=str(said["label"].get(name, one.get("label", ""))),
                link=str(said["link"].get(name, "" if has_roles else one.get("linked_to") or "")),
                hierarchy=tree if isinstance(tree, str) else "by value",
                proposed=f"{one['role']}, {one['kind']}",
                reason=str(one["reason"]),
                certainty=str(one["certainty"]),
                distinct=int(one["distinct"]),
                missing=int(one["missing"]),
                distribution=tuple((str(words), int(count)) for words, count in one["distribution"]),
            )
        )
    return tuple(lines)


def with_attributes(
    document: Mapping[str, Any], analysis: Mapping[str, Any], changes: Mapping[str, Mapping[str, str]]
) -> dict[str, Any]:
    """The project file with other roles, kinds, levels, labels and links: field and value by attribute."""
    known = {one["name"]: one for one in analysis["attributes"]}
    made = copy.deepcopy(dict(document))
    for name, fields in changes.items():
        if name not in known:
            raise InputError(f"There is no attribute '{name}'.")
        for field, value in fields.items():
            if field not in _SECTIONS:
                raise InputError(f"'{field}' is not a field of an attribute: change {', '.join(FIELDS)}.")
            if field == "link" and value and value not in known:
                raise InputError(f"'{name}' cannot be linked to '{value}': there is no such attribute.")
            section = made.setdefault(_SECTIONS[field], {})
            stored = known[name].get("stored_kind") or known[name]["kind"]
            if value == {"kind": stored, "level": "person", "label": "", "link": ""}.get(field):
                section.pop(name, None)
            else:
                section[name] = value
            if not section:
                del made[_SECTIONS[field]]
    return made


def with_entry(document: Mapping[str, Any], section: str, name: str, value: Any) -> dict[str, Any]:
    """The project file with one entry of a section set, or taken out with None."""
    made = copy.deepcopy(dict(document))
    entries = made.setdefault(section, {})
    if value is None:
        entries.pop(name, None)
    else:
        entries[name] = value
    if not entries:
        del made[section]
    return made


def _section(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = document.get(name) or {}
    return found if isinstance(found, Mapping) else {}
