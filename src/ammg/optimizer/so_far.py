"""What a search has found so far, read from its journal while it runs or after it was stopped."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ammg import registry
from ammg.errors import AmmgError

HIERARCHIES = "hierarchies"
"""Key of the journal under which a search keeps the rules that it proposed."""
_ATTACKED = ("risk", "whole risk")
"""Labels of verdicts on risks: on the sample, then on the whole file, which count more."""


@dataclass(frozen=True)
class Point:
    """A recipe that was attacked, with its risks and its loss."""

    recipe: tuple[Mapping[str, Any], ...]
    """As a project file has it."""
    loss: float
    pressure: float
    """The worst risk as a multiple of its limit; where a limit is broken it may be higher."""
    risks: Mapping[str, float]

    @property
    def is_safe(self) -> bool:
        """Whether every limit is met."""
        return self.pressure <= 1


@dataclass(frozen=True)
class SoFar:
    """How many recipes were tried, and those that were attacked."""

    tried: int = 0
    points: tuple[Point, ...] = ()
    hierarchies: Mapping[str, str | Mapping[str, list[str]]] = field(default_factory=dict)

    @property
    def frontier(self) -> tuple[Point, ...]:
        """The points that no other beats in both risk and loss, by falling risk."""
        best: list[Point] = []
        for point in sorted(self.points, key=lambda point: (point.pressure, point.loss)):
            if not best or point.loss < best[-1].loss:
                best.append(point)
        return tuple(reversed(best))


def so_far(journal: str) -> SoFar:
    """What the lines of a journal say; one that was cut off is left out."""
    tried: set[str] = set()
    attacked: dict[str, Point] = {}
    hierarchies: Mapping[str, str | Mapping[str, list[str]]] = {}
    for key, value in _entries(journal):
        if key == HIERARCHIES:
            hierarchies = value
            continue
        label, _, text = key.partition(" [")
        tried.add(text)
        if (
            label in _ATTACKED
            and value["state"] in ("safe", "broken")
            and value["risks"]
            and None not in (value["loss"], value["pressure"])
        ):
            attacked[text] = Point(
                _recipe(f"[{text}", value["worked"]), value["loss"], value["pressure"], value["risks"]
            )
    return SoFar(len(tried), tuple(attacked.values()), hierarchies)


def _entries(journal: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for line in journal.splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if "key" in entry:
            yield entry["key"], entry["value"]


def _recipe(text: str, worked: list[int]) -> tuple[Mapping[str, Any], ...]:
    """The steps that changed something, without parameters at their defaults."""
    steps = json.loads(text)
    return tuple(_entry(*steps[number]) for number in worked)


def _entry(name: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        step = registry.find("methods", name).model_validate(dict(parameters))
    except (AmmgError, ValueError):  # a plug-in that is gone
        return {name: dict(parameters)}
    return {name: step.model_dump(mode="json", exclude_defaults=True)}
