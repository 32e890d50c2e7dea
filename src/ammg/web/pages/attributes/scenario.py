"""The intruder in words, and the few things that one says about them."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from ammg.data.scenario import NAMES, Scenario
from ammg.errors import AmmgError
from ammg.projects.attributes.scenario_words import scenario_words
from ammg.web.pages.attributes.desk import Desk
from ammg.web.parts.states import section


async def scenario(desk: Desk) -> None:
    """Who the intruder is, what they know, and how likely a target is in the file."""
    said = dict(desk.document.get("scenario") or {})
    keys = desk.names("key")
    free = [line.name for line in desk.lines() if line.role not in ("identifier", "weight", "household")]
    with section("The intruder", "Every risk is the probability that this person finds somebody or learns something."):
        sentence = ui.label().classes("ammg-sentence").props('role="status"')
        name = ui.select(list(NAMES), value=said.get("name", NAMES[0]), label="Scenario").props("outlined dense")
        name.classes("w-80")
        known = ui.select(free, value=list(said.get("known") or []), multiple=True, label="Known attributes")
        known.props('outlined dense use-chips hint="None chosen: all key attributes"').classes("w-full")
        chance = ui.number(
            "Probability that a target is in the file", value=said.get("inclusion"), min=0, max=1, step=0.05
        )
        chance.props('outlined dense clearable hint="Empty: derived from the file"').classes("w-80")
        message = ui.label().classes("ammg-bad").props('role="alert"')
        save = ui.button("Save", icon="save").props("unelevated no-caps")

    def given() -> dict[str, Any]:
        told = {**said, "name": name.value, "known": known.value or None, "inclusion": chance.value}
        return {part: value for part, value in told.items() if value not in (None, NAMES[0])}

    def show() -> None:
        try:
            told = Scenario(**given())
            sentence.text, message.text = scenario_words(told, keys, [one for one in free if one not in keys]), ""
        except (AmmgError, ValueError):
            message.text = "The probability must be above 0 and at most 1: write 0.1 for one in ten, or leave it empty."
        save.set_enabled(not message.text and given() != (desk.document.get("scenario") or {}))

    async def saved() -> None:
        rest = {part: value for part, value in desk.document.items() if part != "scenario"}
        await desk.save({**rest, **({"scenario": given()} if given() else {})}, "the intruder")
        show()

    for control in (name, known, chance):
        control.on_value_change(show)
    save.on_click(saved)
    show()
