"""The guide for users of a release: contents, methods, how to analyse it, risk and information loss."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from ammg import registry
from ammg.data.attribute import Role
from ammg.data.condition import parsed
from ammg.data.schema import Schema
from ammg.measures.measure import Measure
from ammg.measures.measurement import Measurement
from ammg.methods.usage import quoted
from ammg.registry import meaning
from ammg.release.advice import advice, masked_twice, released_schema
from ammg.release.masking import Masking
from ammg.version import __version__


def public_summary(masked: Masking, measured: Mapping[str, tuple[Measure, Measurement]]) -> dict[str, Any]:
    """Plain values without secret, link or anything about single records.

    All parameters are published, including defaults, so that users can correct for the masking; conditions on
    identifiers are not. Nor is it published how many cells changed and by how much, because the largest change can
    belong to one person.
    """
    advised = advice(masked)
    hidden = hidden_names(masked.original.schema)
    return {
        "ammg": __version__,
        "records": masked.t,
        "attributes": [
            {
                "name": attribute.name,
                "kind": attribute.kind.label,
                "label": attribute.label,
                "steps": [number for number, step in enumerate(advised, 1) if attribute.name in step.columns],
            }
            for attribute in released_schema(masked)
        ],
        "weight": released_schema(masked).weight,
        "household": released_schema(masked).household,
        "methods": [
            {
                "method": step.method,
                "meaning": meaning(registry.find("methods", step.method)),
                "parameters": public_parameters(step.parameters, hidden),
                "usage": asdict(told.usage),
            }
            for step, told in zip(masked.steps, advised, strict=True)
        ],
        "masked_twice": masked_twice(masked),
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


def hidden_names(schema: Schema) -> list[str]:
    """The attributes on which no published condition may be."""
    return schema.with_role(Role.IDENTIFIER, Role.HOUSEHOLD)


def public_parameters(parameters: Mapping[str, Any], hidden: Iterable[str]) -> dict[str, Any]:
    """Parameters without conditions on identifiers, which could name people."""
    where = parameters.get("where")
    if isinstance(where, str) and set(parsed(where).meta.root_names()) & set(hidden):
        return {**parameters, "where": "a condition that is not published"}
    return dict(parameters)


def summary_text(summary: Mapping[str, Any], file: str = "masked.parquet") -> str:
    """The summary as a guide in Markdown; `file` is what the snippets read."""
    lines = [
        "# How to use this masked file",
        "",
        (
            f"{summary['records']:,} records, masked with AMMG {summary['ammg']}. They describe real "
            "people; values were changed on purpose to protect them. This page says what you can rely on."
        ),
        "",
        "| attribute | kind | masked by | label |",
        "|---|---|---|---|",
    ]
    lines += [_row(a["name"], a["kind"], _steps(a["steps"]), a["label"]) for a in summary["attributes"]]
    lines += ["", "Attributes that are not masked are as collected."]
    if summary["household"]:
        lines[-1] += f" Members of a household share a number in '{summary['household']}'; it has no other meaning."
    lines += ["", "## What was done", ""]
    for number, step in enumerate(summary["methods"], 1):
        lines.append(f"{number}. `{step['method']}`: {step['meaning']}{_listed(step['parameters'])}")
    lines += ["" if summary["methods"] else "Nothing.", *_usage(summary, file), *_measures(summary)]
    return "\n".join(lines) + "\n"


def _usage(summary: Mapping[str, Any], file: str) -> list[str]:
    """What is reliable, which estimator to use, and what not to do."""
    lines = ["", "## How to analyse it", ""]
    if any(step["usage"]["snippet"] for step in summary["methods"]):
        lines += ["Every snippet below begins with these lines:", "", *_code(opening(file)), ""]
    for number, step in enumerate(summary["methods"], 1):
        usage = step["usage"]
        lines += [f"**Step {number}, `{step['method']}`.** Reliable: {usage['reliable']}"]
        lines += [f"Use: {usage['estimator']}"] if usage["estimator"] else []
        lines += ["", *_code(usage["snippet"])] if usage["snippet"] else []
        lines += [""]
    lines += ["## What not to do", ""]
    lines += [f"- {rule}" for rule in rules(summary)]
    return lines


def rules(summary: Mapping[str, Any]) -> list[str]:
    """What users of the file should not do."""
    own = [step["usage"]["avoid"] for step in summary["methods"] if step["usage"]["avoid"]]
    twice = ", ".join(summary["masked_twice"])
    return [
        "Do not try to identify people, and do not link the file to other files that name people.",
        *dict.fromkeys(own),
        *(
            [f"More than one step masked {twice}: a correction for one step is only approximate there."]
            if twice
            else []
        ),
        *(
            [f"To count people, use the weight '{summary['weight']}'; do not count records."]
            if summary["weight"]
            else []
        ),
    ]


def opening(file: str) -> str:
    """The lines that every snippet begins with."""
    return f"import ammg\nimport polars as pl\n\nfile = ammg.read({quoted(file)}).table"


def _measures(summary: Mapping[str, Any]) -> list[str]:
    lines = ["", "## What is left", "", "| | measure | value | meaning |", "|---|---|---|---|"]
    for label, measure in sorted(summary["measures"].items(), key=lambda entry: entry[1]["family"] != "risk"):
        value = "not defined" if measure["value"] is None else f"{measure['value']:.4g}"
        lines.append(_row(measure["family"], label, value, f"{measure['meaning']}{_listed(measure['parameters'])}"))
    return lines


def _steps(numbers: list[int]) -> str:
    return f"step {', '.join(map(str, numbers))}" if numbers else "not masked"


def _code(snippet: str) -> list[str]:
    return ["```python", *snippet.splitlines(), "```"]


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
