"""Labels of measures: one evaluation may hold a measure several times with different parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ammg import registry
from ammg.measures.measure import Measure


def labelled(measures: Iterable[Measure]) -> dict[str, Measure]:
    """Each measure by its label; a measure that is asked for twice with the same parameters is there once.

    The label is the name where no other measure has it, else the name with the parameters that are not at their
    defaults, such as `k_anonymity(k=20)`; beside it, the one with all defaults shows what the others change.
    """
    chosen: list[Measure] = []
    for measure in measures:
        if measure not in chosen:
            chosen.append(measure)
    return {_label(measure, [other for other in chosen if other.name == measure.name]): measure for measure in chosen}


def meaning(label: str, measure: Measure) -> str:
    """What the measure says, with the parameters that were chosen for it unless its label has them already."""
    sentence = registry.meaning(type(measure))
    chosen = {**_given(measure), **_changed(measure)}
    if not chosen or label != measure.name:
        return sentence
    return f"{sentence.removesuffix('.')} ({', '.join(f'{name} = {_text(chosen[name])}' for name in chosen)})."


def parameters(measure: Measure) -> dict[str, Any]:
    """All parameters as plain values, also those left at their defaults."""
    return measure.model_dump(mode="json")


def with_parameters(name: str, values: Mapping[str, Any]) -> Measure:
    """The measure that `parameters` described; those at their defaults count as not chosen."""
    unit = registry.find("measures", name)
    measure: Measure = unit(**{field: values[field] for field in _changed(unit(**values))})
    return measure


def _label(measure: Measure, group: list[Measure]) -> str:
    if len(group) == 1:
        return measure.name
    values = parameters(measure)
    shown = list(_changed(measure)) or [field for field in values if any(field in _changed(other) for other in group)]
    return f"{measure.name}({', '.join(f'{field}={_text(values[field])}' for field in shown)})"


def _changed(measure: Measure) -> dict[str, Any]:
    """The parameters that are not at their defaults."""
    return measure.model_dump(mode="json", exclude_defaults=True)


def _given(measure: Measure) -> dict[str, Any]:
    """The parameters that were named, whatever their value."""
    return measure.model_dump(mode="json", exclude_unset=True)


def _text(value: Any) -> str:
    return f"[{', '.join(map(_text, value))}]" if isinstance(value, list) else str(value)
