"""The goal of a search, as the sections of a project document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ammg import registry
from ammg.data.condition import parsed
from ammg.data.schema import Schema
from ammg.errors import AmmgError, did_you_mean
from ammg.optimizer.modes import MODES
from ammg.pipeline.survive import Survive
from ammg.projects.limit_entries import AT_MOST, Entry, at_most, entries
from ammg.projects.project import SearchSettings


@dataclass(frozen=True)
class WishedLimit:
    """A measure, its parameters and the greatest value, as somebody typed it."""

    measure: str = ""
    value: Any = ""
    parameters: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Wish:
    """Who gets the file, which loss to minimise, what must survive, what stays, and how long to search."""

    mode: str = ""
    """Empty: own limits alone."""
    limits: tuple[WishedLimit, ...] = ()
    minimise: str = ""
    """Empty: the overall loss."""
    survive: tuple[str, ...] = ()
    untouched: tuple[str, ...] = ()
    trials: Any = 100
    steps: Any = 3


def wish_of(document: Mapping[str, Any]) -> Wish:
    """The wish that a document holds; parts that a form cannot show have their defaults."""
    goal = _mapping(document.get("goal"))
    search = _mapping(document.get("search"))
    found = [
        WishedLimit(entry.name, entry.value, entry.parameters)
        for section in ("limits", "thresholds")
        if section in document
        for entry in entries(section, document[section])
        if isinstance(entry, Entry)
    ]
    minimise = goal.get("minimise")
    survive = goal.get("survive") or ()
    settings = SearchSettings.model_fields
    return Wish(
        mode=str(goal.get("mode") or ""),
        limits=tuple(found),
        minimise=minimise if isinstance(minimise, str) else "",
        survive=tuple(map(_survivor, [survive] if isinstance(survive, str | Mapping) else survive)),
        untouched=tuple(map(str, goal.get("untouched") or ())),
        trials=search.get("trials", settings["trials"].default),
        steps=search.get("steps", settings["steps"].default),
    )


def with_wish(document: Mapping[str, Any], wish: Wish) -> dict[str, Any]:
    """The document that holds the wish; what it does not speak of stays."""
    goal = {name: value for name, value in _mapping(document.get("goal")).items() if name not in _SPOKEN_OF}
    kept_minimise = _mapping(document.get("goal")).get("minimise")
    said: dict[str, Any] = {
        "mode": wish.mode,
        "minimise": wish.minimise or (kept_minimise if isinstance(kept_minimise, Mapping) else ""),
        "survive": list(wish.survive),
        "untouched": list(wish.untouched),
    }
    changed = {name: value for name, value in document.items() if name not in ("goal", "limits", "thresholds")}
    if wish.limits:
        changed["limits"] = [_limit(limit) for limit in wish.limits]
    if goal := goal | {name: value for name, value in said.items() if value}:
        changed["goal"] = goal
    changed["search"] = {**_mapping(document.get("search")), "trials": wish.trials, "steps": wish.steps}
    return changed


_SPOKEN_OF = ("mode", "minimise", "survive", "untouched")


def problems_of_wish(wish: Wish, schema: Schema) -> dict[str, str]:
    """What is wrong, in one sentence per part: mode, limits, survive, trials, steps."""
    told: dict[str, str] = {}
    if wish.mode and wish.mode not in MODES:
        told["mode"] = f"'{wish.mode}' is not an access mode.{did_you_mean(wish.mode, MODES)}"
    for number, limit in enumerate(wish.limits, 1):
        if wrong := _wrong_limit(limit):
            told.setdefault("limits", f"Limit {number}: {wrong}")
    if not wish.mode and not any(_is_risk(limit.measure) for limit in wish.limits):
        told.setdefault("limits", "A search needs a limit on at least one risk: choose an access mode, or add a limit.")
    for sentence in wish.survive:
        if wrong := _wrong_survivor(sentence, schema):
            told.setdefault("survive", wrong)
    for name, value in (("trials", wish.trials), ("steps", wish.steps)):
        try:
            SearchSettings(**{name: value})
        except AmmgError as error:
            told[name] = str(error).removeprefix("SearchSettings: ")
    if "trials" not in told and int(wish.trials) > _MOST:
        told["trials"] = f"A search tries 1 to {_MOST:,} recipes, not {wish.trials}."
    return told


_MOST = 100_000


def _wrong_limit(limit: WishedLimit) -> str:
    if not limit.measure:
        return "choose a measure."
    try:
        registry.find("measures", limit.measure)(**(limit.parameters or {}))
    except AmmgError as error:
        return str(error)
    if at_most(limit.value) is None:
        return f"the largest value must be a number of at least 0 (it is '{limit.value}')."
    return ""


def _wrong_survivor(sentence: str, schema: Schema) -> str:
    try:
        survivor = Survive.read(sentence)
        where = survivor.measure.where
        names = [*survivor.columns, *(parsed(where).meta.root_names() if where else ())]
    except AmmgError as error:
        return str(error)
    unknown = [name for name in names if len(schema) and name not in schema]
    return f"Column '{unknown[0]}' not found.{did_you_mean(unknown[0], schema.names)}" if unknown else ""


def _is_risk(name: str) -> bool:
    try:
        return bool(registry.find("measures", name).family == "risk")
    except AmmgError:
        return False


def _limit(limit: WishedLimit) -> dict[str, Any]:
    value = at_most(limit.value)
    number = limit.value if value is None else int(value) if value == int(value) else value
    return (
        {limit.measure: dict(limit.parameters or {}), AT_MOST: number} if limit.parameters else {limit.measure: number}
    )


def _survivor(given: Any) -> str:
    try:
        return str(Survive.read(given))
    except AmmgError:
        return str(given)


def _mapping(given: Any) -> Mapping[str, Any]:
    return given if isinstance(given, Mapping) else {}
