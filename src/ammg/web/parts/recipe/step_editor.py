"""Dialogs that choose a method and set its parameters."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from nicegui import ui

from ammg.data.schema import Schema
from ammg.errors import AmmgError
from ammg.projects.editing.steps import Step
from ammg.projects.forms import Unit, unit_form, unit_forms
from ammg.web.parts.forms.unit_form import UnitForm


async def choose_method() -> str | None:
    """The menu of methods by family, searched while one types; None if it was closed."""
    units = sorted(unit_forms("methods"), key=lambda unit: (unit.room, unit.name))
    with ui.dialog() as dialog, ui.card().classes("ammg-dialog ammg-wide"):
        dialog.props('aria-label="Add a method"')
        ui.label("Add a method").props('role="heading" aria-level="2"').classes("ammg-section")
        search = ui.input("Search", placeholder="swap, noise, recode …").classes("w-full")
        search.props("outlined dense clearable autofocus type=search")
        place = ui.column().classes("w-full ammg-menu gap-0").props('tabindex="0" aria-label="Methods"')

        def fill() -> None:
            place.clear()
            found = [unit for unit in units if _matches(unit, search.value or "")]
            with place:
                for room, members in groupby(found, key=lambda unit: unit.room):
                    ui.label((room or "other").capitalize()).classes("ammg-room").props('role="heading" aria-level="3"')
                    _entries(members, dialog)
                if not found:
                    ui.label("No method has these words in its name or description.").classes("ammg-quiet q-pa-md")

        search.on_value_change(fill)
        fill()
        with ui.row().classes("w-full justify-end"):
            ui.button("Cancel", on_click=lambda: dialog.submit(None)).props("flat no-caps")
    chosen: str | None = await dialog
    if not dialog.is_deleted:  # the page may have been left
        dialog.delete()
    return chosen


async def edit_step(step: Step, schema: Schema, *, is_new: bool) -> Step | None:
    """The parameters of a step in a form; None if nothing was changed."""
    try:
        unit = unit_form("methods", step.name)
    except AmmgError as error:
        ui.notify(str(error), type="negative")
        return None
    with ui.dialog().props("persistent") as dialog, ui.card().classes("ammg-dialog ammg-wide"):
        dialog.props["aria-label"] = step.title
        ui.label(step.title).props('role="heading" aria-level="2"').classes("ammg-section")
        ui.label(unit.meaning).classes("ammg-quiet")
        with (
            ui.column().classes("w-full ammg-scroll gap-2").props('tabindex="0" role="region" aria-label="Parameters"')
        ):
            form = UnitForm("methods", unit, schema, step.parameters, on_change=lambda: told())
            if unit.text.partition("\n")[2].strip():
                with ui.expansion("About this method").props("dense").classes("w-full ammg-more"):
                    ui.label(unit.text.partition("\n")[2].strip()).classes("ammg-prose")
        with ui.row().classes("w-full items-center justify-end"):
            state = ui.label().classes("ammg-bad grow").props('role="status"')
            ui.button("Cancel", on_click=lambda: dialog.submit(None)).props("flat no-caps")
            save = ui.button("Add" if is_new else "Save", on_click=lambda: keep()).props("unelevated no-caps")

        def told() -> None:
            wrong = len(form.problems)
            state.text = "" if not wrong else "Correct the marked field." if wrong == 1 else f"Correct {wrong} fields."
            save.set_enabled(not wrong)

        def keep() -> None:
            if not form.problems:
                dialog.submit(form.parameters)

        told()
    parameters = await dialog
    if not dialog.is_deleted:  # the page may have been left
        dialog.delete()
    return None if parameters is None else Step(step.name, parameters, step.is_off)


def _entries(units: Iterable[Unit], dialog: ui.dialog) -> None:
    with ui.list().classes("w-full").props("dense"):
        for unit in units:
            with ui.item(on_click=lambda unit=unit: dialog.submit(unit.name)), ui.item_section():
                ui.item_label(unit.name.replace("_", " ").capitalize()).classes("font-medium")
                also = f" Also called {', '.join(unit.also_called)}." if unit.also_called else ""
                ui.item_label(f"{unit.meaning}{also}").classes("ammg-hint")


def _matches(unit: Unit, words: str) -> bool:
    text = " ".join((unit.name, unit.room, unit.meaning, *unit.also_called)).replace("_", " ").lower()
    return all(word in text for word in words.lower().replace("_", " ").split())
