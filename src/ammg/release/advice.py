"""How to analyse a released file, step by step, from the advice of its methods."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from ammg import registry
from ammg.data.attribute import Kind, Role
from ammg.data.schema import Schema
from ammg.methods.method import Method
from ammg.methods.usage import Usage
from ammg.release.masking import Masking, StepRecord


@dataclass(frozen=True)
class Advice:
    """What one step tells users of the file."""

    method: str
    columns: tuple[str, ...]
    """What the step masked and the file still has."""
    usage: Usage


def advice(masked: Masking) -> list[Advice]:
    """One entry per step, in order."""
    leaving = released_schema(masked)
    return [_of_step(step, leaving) for step in masked.steps]


def released_schema(masked: Masking) -> Schema:
    """The released attributes: no identifiers, and nothing linked to one."""
    identifiers = masked.schema.with_role(Role.IDENTIFIER)
    linked = [attribute.name for attribute in masked.schema if attribute.linked_to in identifiers]
    return masked.schema.drop((*identifiers, *linked))


def masked_twice(masked: Masking) -> list[str]:
    """The released columns that more than one step masked: a correction for one step is incomplete there."""
    times = Counter(name for entry in advice(masked) for name in entry.columns)
    return [name for name, steps in times.items() if steps > 1]


def _of_step(step: StepRecord, leaving: Schema) -> Advice:
    unit: type[Method] = registry.find("methods", step.method)
    method = unit.model_validate(dict(step.parameters))
    columns = tuple(name for name in step.parameters.get("columns") or () if name in leaving)
    usable = [name for name in columns if _is_still(leaving, name, unit)]
    usage = method.usage(usable, leaving.weight)
    if method.takes_columns and not usable:
        usage = replace(usage, snippet="")
    if method.where is not None:
        estimator = "The step was limited to some records, so corrections for the whole file do not apply."
        usage = replace(usage, estimator=estimator, snippet="")
    return Advice(step.method, columns, usage)


def _is_still(leaving: Schema, name: str, unit: type[Method]) -> bool:
    """Whether the column is still numeric; a later step may have recoded it into classes."""
    takes_classes = bool(unit.accepts & Kind.NOMINAL)
    return takes_classes or bool(leaving[name].kind & Kind.NUMERIC)
