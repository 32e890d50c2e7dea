"""The questions of the wizard: who gets the file, what to keep, how long to look."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nicegui import ui

from ammg.data.schema import Schema
from ammg.optimizer.modes import MODES
from ammg.pipeline.survive import STATISTICS
from ammg.projects.editing.wish import Wish, problems_of_wish
from ammg.projects.forms import unit_forms
from ammg.projects.project import SearchSettings
from ammg.report.words import named, told
from ammg.web.parts.forms.controls import number_of
from ammg.web.parts.forms.limit_rows import LimitRows
from ammg.web.parts.states import section

_OWN = "own"


class WishForm:
    """The questions with their answers so far; built where it is called."""

    def __init__(self, schema: Schema, wish: Wish, on_change: Callable[[], None]) -> None:
        self._schema, self._on_change = schema, on_change
        self.problems: dict[str, str] = {}
        """What is wrong, in one sentence per question."""
        with section("1. Who gets the file?", "The more people get the file, the less an intruder may find in it."):
            self._modes(wish.mode or _OWN)
            ui.label("Your own limits, in addition to those above").classes("font-medium q-mt-sm")
            self._limits = LimitRows(wish.limits, schema, self._changed)
        with section(
            "2. What should stay?",
            "Among recipes that meet all limits, the search takes the one with the least information loss.",
        ):
            self._keeping(wish)
        with section("3. How long may it search?"), ui.row().classes("w-full items-start"):
            self._trials = self._number("Recipes to try", wish.trials, "More trials take longer and may lose less.")
            self._steps = self._number("Longest recipe, in steps", wish.steps, "Largest number of methods in a recipe.")
        self._message = ui.label().classes("ammg-bad").props('role="alert"')
        self.check()

    @property
    def wish(self) -> Wish:
        """What is asked for."""
        return Wish(
            mode="" if self._mode.value == _OWN else self._mode.value,
            limits=self._limits.read(),
            minimise=self._minimise.value or "" if self._minimise.value != self._default else self._said,
            survive=tuple(line.strip() for line in (self._survive.value or "").splitlines() if line.strip()),
            untouched=tuple(self._untouched.value or ()),
            trials=number_of(self._trials.value or ""),
            steps=number_of(self._steps.value or ""),
        )

    def check(self) -> None:
        """Look at every answer; asks the units and never the data."""
        self.problems = problems_of_wish(self.wish, self._schema)
        for name, element in (("survive", self._survive), ("trials", self._trials), ("steps", self._steps)):
            element.error = self.problems.get(name)
        self._limits.tell(self.problems.get("limits"))
        self._message.text = self.problems.get("mode", "")

    def _changed(self) -> None:
        self.check()
        self._on_change()

    def _modes(self, chosen: str) -> None:
        options = {name: mode.title for name, mode in MODES.items()} | {_OWN: "Only my own limits"}
        self._mode = ui.radio(options, value=chosen if chosen in options else _OWN, on_change=self._chosen)
        self._mode.props('inline aria-label="Access mode"')
        self._meaning = ui.column().classes("w-full gap-0 ammg-hint").props('role="status"')
        self._explain()

    def _chosen(self) -> None:
        self._explain()
        self._changed()

    def _explain(self) -> None:
        self._meaning.clear()
        mode = MODES.get(self._mode.value)
        with self._meaning:
            if mode is None:
                ui.label("Only the limits that you set below apply.")
                return
            ui.label(mode.meaning)
            for entry in mode.limits:
                limit = entry.limit
                label = entry.measure + (f"({_parameters(entry.parameters)})" if entry.parameters else "")
                ui.label(
                    f"{named(label).capitalize()} at most {told(limit.measure, limit.at_most)}. Source: {entry.source}."
                )

    def _keeping(self, wish: Wish) -> None:
        losses = {
            unit.name: unit.name.replace("_", " ").capitalize()
            for unit in unit_forms("measures")
            if unit.family != "risk" and not unit.schema.get("required")
        }
        self._said = wish.minimise
        self._default = wish.minimise or SearchSettings.model_fields["loss"].default
        self._minimise = ui.select(
            losses,
            label="Minimise",
            value=self._default if self._default in losses else None,
            with_input=True,
            on_change=self._changed,
        )
        self._minimise.props("outlined dense hide-bottom-space").classes("w-full ammg-field")
        self._minimise.props["hint"] = "The loss, or the score of risk and loss, by which recipes are compared."
        lines = "\n".join(wish.survive)
        self._survive = ui.textarea("Must survive, one per line", value=lines, on_change=self._changed)
        self._survive.without_auto_validation()
        self._survive.props("outlined dense autogrow hide-bottom-space spellcheck=false").classes("w-full ammg-field")
        self._survive.props["hint"] = (
            f"For example: mean income by region within 2 %. Checked like limits. Statistics: {', '.join(STATISTICS)}."
        )
        names = list(self._schema.names)
        names += [name for name in wish.untouched if name not in self._schema]
        self._untouched = ui.select(
            names,
            label="Columns that no step may mask",
            value=list(wish.untouched),
            multiple=True,
            with_input=True,
            clearable=True,
            on_change=self._changed,
        )
        self._untouched.props("outlined dense use-chips hide-bottom-space").classes("w-full ammg-field")

    def _number(self, label: str, value: Any, hint: str) -> ui.input:
        element = ui.input(label, value=str(value), on_change=self._changed).without_auto_validation()
        element.props("outlined dense inputmode=numeric autocomplete=off hide-bottom-space").classes("ammg-field w-72")
        element.props["hint"] = hint
        return element


def _parameters(given: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value:g}" for name, value in given.items())
