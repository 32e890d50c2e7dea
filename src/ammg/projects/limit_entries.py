"""Limits in a project file: `{distance_linkage: 0.05}`, or in a list `{k_anonymity: {k: 20}, at_most: 0}`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ammg.errors import Problem
from ammg.measures.measure import Measure
from ammg.pipeline.limits import Limit

AT_MOST = "at_most"
_FORMS = "{distance_linkage: 0.05} or {k_anonymity: {k: 20}, at_most: 0}"


@dataclass(frozen=True)
class Entry:
    """One limit of the document and its place; without `parameters` the name may mean a measure listed elsewhere."""

    place: str
    name: str
    value: Any
    parameters: Any = None


def entries(section: str, given: Any) -> list[Entry | Problem]:
    """The limits of a section, a mapping or a list; a problem stands where the form is wrong."""
    if isinstance(given, Mapping) and AT_MOST not in given:
        return [Entry(f"{section}.{name}", str(name), value) for name, value in given.items()]
    if isinstance(given, Mapping):
        given = [given]
    if not isinstance(given, list):
        return [Problem(section, f"must be a list of limits such as {_FORMS}; this is {given!r}.")]
    return [_entry(f"{section}[{position}]", written) for position, written in enumerate(given, 1)]


def _entry(place: str, written: Any) -> Entry | Problem:
    names = [name for name in written if name != AT_MOST] if isinstance(written, Mapping) else []
    if len(names) != 1:
        return Problem(place, f"must be one measure and its largest value, such as {_FORMS}; this is {written!r}.")
    ((name, value),) = [(name, written[name]) for name in names]
    if AT_MOST in written:
        return Entry(place, str(name), written[AT_MOST], {} if value is None else value)
    if isinstance(value, Mapping):
        return Problem(place, f"has no {AT_MOST}: write {{{name}: {{…}}, {AT_MOST}: 0}}.")
    return Entry(f"{place} {name}", str(name), value)


def at_most(value: Any) -> float | None:
    """A number of at least 0, which YAML takes for text if it is written like 1e-3; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if 0 <= number < math.inf else None


def as_plain(limits: Iterable[Limit], measures: Iterable[Measure]) -> dict[str, float] | list[dict[str, Any]]:
    """The limits as a project file has them, short where that says everything."""
    listed = list(measures)
    plain = [_plain(limit, listed) for limit in limits]
    if any(AT_MOST in entry for entry in plain):
        return plain
    return {name: value for entry in plain for name, value in entry.items()}


def _plain(limit: Limit, listed: list[Measure]) -> dict[str, Any]:
    measure = limit.measure
    given = measure.model_dump(mode="json", exclude_unset=True)
    if not given and all(other == measure for other in listed if other.name == measure.name):
        return {measure.name: limit.at_most}
    return {measure.name: given, AT_MOST: limit.at_most}
