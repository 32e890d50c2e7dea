"""What was done, step by step, in words, and what that means for users of the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ammg import registry
from ammg.methods.usage import Usage
from ammg.release.advice import advice
from ammg.release.masking import StepRecord
from ammg.release.public_summary import hidden_names, public_parameters
from ammg.report.evidence import Evidence, Reader
from ammg.report.words import counted, enumerated, named, plain


@dataclass(frozen=True)
class Step:
    """One step as the report tells it."""

    title: str
    method: str
    sentences: tuple[str, ...]
    parameters: tuple[tuple[str, str, str], ...]
    """Name, value and meaning of each parameter that is set."""
    changes: tuple[tuple[str, str], ...]
    """For the panel alone: how many cells of each attribute changed, and by how much."""
    notes: tuple[str, ...]
    usage: Usage


def steps(evidence: Evidence, reader: Reader) -> list[Step]:
    """Every step in order; none where only the two files are known."""
    masking = evidence.masking
    if masking is None:
        return []
    hidden = hidden_names(masking.original.schema)
    return [
        _step(step, told.usage, public_parameters(step.parameters, hidden), reader)
        for step, told in zip(masking.steps, advice(masking), strict=True)
    ]


def _step(record: StepRecord, usage: Usage, public: Mapping[str, Any], reader: Reader) -> Step:
    unit = registry.find("methods", record.method)
    parameters = public if reader.is_public else record.parameters
    sentences = [registry.meaning(unit)]
    columns = [str(name) for name in parameters.get("columns") or ()]
    if columns:
        sentences.append(f"Applied to {enumerated(columns, 12)}.")
    if parameters.get("where") is not None:
        sentences.append(f"Limited to some records: {plain(parameters['where'])}.")
    if not reader.is_public and record.records_before != record.records_after:
        sentences.append(f"{counted(record.records_before, 'record')} before it, {record.records_after:,} after.")
    told = tuple(
        (name, plain(value), unit.model_fields[name].description or "")
        for name, value in parameters.items()
        if name in unit.model_fields and name not in ("columns", "where") and value not in (None, [], {})
    )
    return Step(
        named(record.method),
        record.method,
        tuple(sentences),
        told,
        () if reader.is_public else tuple((name, _change(facts)) for name, facts in record.changed.items()),
        () if reader.is_public else tuple(record.notes),
        usage,
    )


def _change(facts: Mapping[str, float]) -> str:
    told = counted(facts["cells"], "value")
    return f"{told}, by {facts['mean_change']:.4g} on average" if "mean_change" in facts else told
