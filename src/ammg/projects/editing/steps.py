"""The steps of a project document: listed, described, and edited."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ammg import registry
from ammg.errors import AmmgError, InputError
from ammg.projects.reader import SKIP

_LONGEST = 40


@dataclass(frozen=True)
class Step:
    """One entry of `methods`."""

    name: str
    """As the registry knows it; as it was written, where the registry does not."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    is_off: bool = False

    @property
    def title(self) -> str:
        """The name in plain words."""
        return self.name.replace("_", " ").capitalize()

    @property
    def words(self) -> str:
        """What it masks and how, in one line."""
        return ", ".join(f"{name.replace('_', ' ')}: {_short(value)}" for name, value in self.parameters.items())

    @property
    def meaning(self) -> str:
        """What the method does, in one sentence."""
        try:
            return registry.meaning(registry.find("methods", self.name))
        except AmmgError:
            return "No method has this name."

    def to_plain(self) -> Any:
        """As a project file has it."""
        if self.is_off:
            return {self.name: dict(self.parameters), SKIP: True}
        return {self.name: dict(self.parameters)} if self.parameters else self.name


def steps_of(document: Mapping[str, Any]) -> tuple[Step, ...]:
    """The steps of a document, in order; those that are switched off included."""
    methods = document.get("methods")
    return tuple(map(_step, methods)) if isinstance(methods, list) else ()


def in_words(recipe: list[Mapping[str, Any]]) -> str:
    """A combination of methods in one line: "Rank swapping (columns: income, p: 5), then sampling (fraction: 0.8)"."""
    told = [f"{step.title} ({step.words})" if step.words else step.title for step in map(_step, recipe)]
    return ", then ".join([*told[:1], *(f"{words[:1].lower()}{words[1:]}" for words in told[1:])])


def with_step(document: Mapping[str, Any], step: Step, position: int | None = None) -> dict[str, Any]:
    """The document with a step in the place of the one at `position`, by default with one more at the end."""
    steps = list(steps_of(document))
    if position is None:
        steps.append(step)
    else:
        steps[_checked(steps, position)] = step
    return _written(document, steps)


def without_step(document: Mapping[str, Any], position: int) -> dict[str, Any]:
    """The document without a step."""
    steps = list(steps_of(document))
    del steps[_checked(steps, position)]
    return _written(document, steps)


def moved_step(document: Mapping[str, Any], position: int, to: int) -> dict[str, Any]:
    """The document with a step in another place."""
    steps = list(steps_of(document))
    step = steps.pop(_checked(steps, position))
    steps.insert(min(max(to, 0), len(steps)), step)
    return _written(document, steps)


def switched_step(document: Mapping[str, Any], position: int) -> dict[str, Any]:
    """The document with a step switched off, or on again."""
    steps = list(steps_of(document))
    step = steps[_checked(steps, position)]
    return with_step(document, Step(step.name, step.parameters, not step.is_off), position)


def with_recipe(
    document: Mapping[str, Any], recipe: list[Mapping[str, Any]], hierarchies: Mapping[str, Any]
) -> dict[str, Any]:
    """The document with the methods of a recipe, and the hierarchies that were proposed for columns it masks."""
    steps = list(map(_step, recipe))
    masked = {name for step in steps for name in step.parameters.get("columns") or ()}
    proposed = {name: rule for name, rule in hierarchies.items() if name in masked}
    changed = _written(document, steps)
    if proposed:
        changed["hierarchies"] = {**proposed, **(document.get("hierarchies") or {})}
    return changed


def _step(entry: Any) -> Step:
    if not isinstance(entry, Mapping):
        return Step(_known(str(entry)))
    named = {name: value for name, value in entry.items() if name != SKIP}
    name, parameters = next(iter(named.items()), ("", {}))
    return Step(_known(str(name)), parameters if isinstance(parameters, Mapping) else {}, entry.get(SKIP) is True)


def _known(name: str) -> str:
    return registry.known_as("methods", name) or name


def _checked(steps: list[Step], position: int) -> int:
    if not 0 <= position < len(steps):
        raise InputError(f"There is no step {position + 1}; the list has {len(steps)}. Reload the page.")
    return position


def _written(document: Mapping[str, Any], steps: list[Step]) -> dict[str, Any]:
    return {**document, "methods": [step.to_plain() for step in steps]}


def _short(value: Any) -> str:
    if isinstance(value, list | tuple):
        text = ", ".join(map(str, value))
    elif isinstance(value, bool):
        text = "yes" if value else "no"
    elif isinstance(value, float):
        text = f"{value:.4g}"
    else:
        text = str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
