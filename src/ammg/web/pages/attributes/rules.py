"""Edit rules: what holds in every record, proposed and one's own."""

from __future__ import annotations

from functools import partial
from typing import Any

from nicegui import ui
from starlette.concurrency import run_in_threadpool

from ammg.data.rules.document import written_rules
from ammg.data.rules.parse import parse_rule
from ammg.errors import AmmgError, InputError, did_you_mean
from ammg.web.pages.attributes.desk import Desk
from ammg.web.parts.states import section


async def rules(desk: Desk) -> None:
    """The rules of the project, those that were found in the data, and a line to write one."""
    place = ui.column().classes("w-full gap-0")

    def show() -> None:
        place.clear()
        with place:
            _declared(desk, save)
            _proposed(desk, save)
            _own(desk, save)

    async def save(kept: list[Any], remark: str) -> None:
        document = {name: part for name, part in desk.document.items() if name not in ("rules", "identities")}
        await desk.save({**document, **({"rules": kept} if kept else {})}, remark)
        show()

    show()


def _of(desk: Desk) -> list[Any]:
    return written_rules({name: desk.document.get(name) or () for name in ("rules", "identities")})


def _declared(desk: Desk, save: Any) -> None:
    declared = _of(desk)
    with section("Rules that must stay true", "Methods keep them if they can, and the release checks verify them."):
        if not declared:
            ui.label("None yet: add what was found below, or write one.").classes("ammg-quiet")
        for number, rule in enumerate(declared):
            rest = declared[:number] + declared[number + 1 :]
            _line(str(rule), "Remove", partial(save, rest, "removed a rule"), "delete")


def _proposed(desk: Desk, save: Any) -> None:
    found, known = _found(desk.analysis), {str(rule) for rule in _of(desk)}
    fresh = [rule for rule in found if rule not in known]
    with section("Found in the data", "They hold in every record. Add those that must always be true."):
        if not fresh:
            ui.label("Nothing further." if found else "Nothing was found.").classes("ammg-quiet")
        for rule in fresh:
            _line(rule, "Add", partial(save, [*_of(desk), rule], "added a rule"), "add")


def _own(desk: Desk, save: Any) -> None:
    with section("Write a rule"):
        hint = "income = wages + pensions · 0 <= age <= 120 · age < 15 implies status = 'single'"
        text = ui.input("Rule").props(f'outlined dense debounce=250 hint="{hint}"').classes("w-full")
        message = ui.label().classes("ammg-bad").props('role="alert"')
        add = ui.button("Add the rule").props("unelevated no-caps")
        add.set_enabled(False)

        async def checked() -> None:
            message.text = await run_in_threadpool(_wrong, desk, text.value or "") if text.value else ""
            add.set_enabled(bool(text.value) and not message.text)

        async def added() -> None:
            given = (text.value or "").strip()
            if wrong := await run_in_threadpool(_wrong, desk, given):
                raise InputError(wrong)
            await save([*_of(desk), given], "added a rule")

        text.on_value_change(checked)
        add.on_click(added)


def _wrong(desk: Desk, text: str) -> str:
    """What is wrong with a rule, in one sentence; whether it holds is seen when the data are read."""
    names = desk.names()
    try:
        rule = parse_rule(text, next(iter(desk.names("household")), None))
    except AmmgError as error:
        return str(error)
    missing = [name for name in rule.columns if name not in names]
    return f"There is no attribute '{missing[0]}'.{did_you_mean(missing[0], names)}" if missing else ""


def _found(analysis: dict[str, Any]) -> list[str]:
    identities = [one["formula"] for one in analysis.get("identities", ()) if len(one["terms"]) > 2]
    return [*identities, *analysis.get("household_sums", ()), *analysis.get("edits", ())]


def _line(rule: str, action: str, call: Any, icon: str) -> None:
    with ui.row().classes("w-full items-center no-wrap ammg-line"):
        ui.label(rule).classes("grow ammg-code")
        button = ui.button(action, icon=icon, on_click=call).props("flat dense no-caps")
        button.props["aria-label"] = f"{action}: {rule}"
