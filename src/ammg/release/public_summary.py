"""What users of a masked file may be told: what it holds, what was done to it, how good and how safe it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ammg import registry
from ammg.data.attribute import Role
from ammg.data.condition import parsed
from ammg.measures.measure import Measure
from ammg.measures.measurement import Measurement
from ammg.registry import meaning
from ammg.release.masking import Masking
from ammg.version import __version__


def public_summary(masked: Masking, measured: Mapping[str, tuple[Measure, Measurement]]) -> dict[str, Any]:
    """Plain values without secret, link or anything about single records.

    All parameters are told, defaults too, so that users can allow for what was done; conditions on identifiers are
    not. How many cells changed and by how much is not told either, because the largest change can belong to one person.
    """
    identifiers = masked.schema.with_role(Role.IDENTIFIER)
    hidden = masked.original.schema.with_role(Role.IDENTIFIER, Role.HOUSEHOLD)
    return {
        "ammg": __version__,
        "records": masked.t,
        "attributes": [
            {"name": attribute.name, "kind": attribute.kind.label, "label": attribute.label}
            for attribute in masked.schema
            if attribute.name not in identifiers and attribute.linked_to not in identifiers
        ],
        "methods": [
            {
                "method": step.method,
                "meaning": meaning(registry.find("methods", step.method)),
                "parameters": _public(step.parameters, hidden),
            }
            for step in masked.steps
        ],
        "measures": {
            label: {
                "family": measure.family,
                "meaning": meaning(type(measure)),
                "parameters": measure.model_dump(mode="json"),
                "value": measurement.value,
                "not_defined": measurement.reason if measurement.value is None else None,
            }
            for label, (measure, measurement) in measured.items()
        },
    }


def _public(parameters: Mapping[str, Any], hidden: Iterable[str]) -> dict[str, Any]:
    """Parameters without a condition on identifiers, which could say whom it is about."""
    where = parameters.get("where")
    if isinstance(where, str) and set(parsed(where).meta.root_names()) & set(hidden):
        return {**parameters, "where": "a condition that is not published"}
    return dict(parameters)


def summary_text(summary: Mapping[str, Any]) -> str:
    """The summary as Markdown."""
    lines = ["# About this masked file", "", f"{summary['records']:,} records, masked with AMMG {summary['ammg']}.", ""]
    lines += ["| attribute | kind | label |", "|---|---|---|"]
    lines += [_row(a["name"], a["kind"], a["label"]) for a in summary["attributes"]]
    lines += ["", "## What was done", ""]
    for number, step in enumerate(summary["methods"], 1):
        lines.append(f"{number}. `{step['method']}`: {step['meaning']}{_listed(step['parameters'])}")
    lines += ["" if summary["methods"] else "Nothing.", "", "## What is left", "", "| | measure | value | meaning |"]
    lines += ["|---|---|---|---|"]
    for label, measure in sorted(summary["measures"].items(), key=lambda entry: entry[1]["family"] != "risk"):
        value = "not defined" if measure["value"] is None else f"{measure['value']:.4g}"
        lines.append(_row(measure["family"], label, value, f"{measure['meaning']}{_listed(measure['parameters'])}"))
    return "\n".join(lines) + "\n"


def _listed(parameters: Mapping[str, Any]) -> str:
    """The parameters in brackets, without those that are not set."""
    given = {name: value for name, value in parameters.items() if value not in (None, [], {})}
    return f" ({', '.join(f'{name} = {_shown(value)}' for name, value in given.items())})" if given else ""


def _row(*cells: object) -> str:
    """A line of a Markdown table: a bar or a line break in a cell would end it."""
    texts = (str(cell).replace("\\", "\\\\").replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(' '.join(text.split()) for text in texts)} |"


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
