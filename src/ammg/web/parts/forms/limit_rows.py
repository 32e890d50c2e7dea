"""Limits as rows: a measure, its parameters, and the greatest value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nicegui import ui

from ammg.data.schema import Schema
from ammg.projects.editing.wish import WishedLimit
from ammg.projects.forms import unit_form, unit_forms
from ammg.web.parts.forms.unit_form import UnitForm


@dataclass(eq=False)
class _Row:
    measure: ui.select
    value: ui.input
    parameters: dict[str, Any] | None
    words: ui.label


class LimitRows:
    """Rows that are added and removed; built where it is called."""

    def __init__(self, limits: tuple[WishedLimit, ...], schema: Schema, changed: Callable[[], None]) -> None:
        self._schema, self._changed = schema, changed
        self._rows: list[_Row] = []
        self._measures = {
            unit.name: unit.name.replace("_", " ").capitalize()
            for unit in sorted(unit_forms("measures"), key=lambda unit: (unit.family != "risk", unit.name))
        }
        self._place = ui.column().classes("w-full gap-2")
        for limit in limits:
            self._add(limit)
        ui.button("Add a limit", icon="add", on_click=self._added).props("flat dense no-caps")
        self._message = ui.label().classes("ammg-bad ammg-hint").props('role="alert"')

    def read(self) -> tuple[WishedLimit, ...]:
        """The limits as they stand."""
        return tuple(WishedLimit(row.measure.value or "", row.value.value or "", row.parameters) for row in self._rows)

    def tell(self, message: str | None) -> None:
        """Show what is wrong, or that nothing is."""
        self._message.text = message or ""

    def _added(self) -> None:
        self._add(WishedLimit())
        self._changed()

    def _add(self, limit: WishedLimit) -> None:
        number = len(self._rows) + 1
        options = self._measures | ({} if limit.measure in (*self._measures, "") else {limit.measure: limit.measure})
        with self._place, ui.row().classes("w-full items-center no-wrap gap-2") as place:
            measure = ui.select(options, value=limit.measure or None, with_input=True, label="Measure")
            measure.props("outlined dense").classes("grow").props["aria-label"] = f"Measure of limit {number}"
            value = ui.input("At most", value=str(limit.value), on_change=self._changed)
            value.props("outlined dense inputmode=decimal autocomplete=off").classes("w-28")
            value.props["aria-label"] = f"Greatest value of limit {number}"
            words = ui.label().classes("ammg-hint")
            row = _Row(measure, value, None if limit.parameters is None else dict(limit.parameters), words)
            settings = ui.button(icon="tune", on_click=lambda: self._parameters(row)).props("flat round dense")
            settings.tooltip("Parameters").props["aria-label"] = f"Parameters of limit {number}"
            remove = ui.button(icon="close", on_click=lambda: self._removed(row, place)).props("flat round dense")
            remove.tooltip("Remove").props["aria-label"] = f"Remove limit {number}"

        def chosen() -> None:
            row.parameters = None
            self._told(row)
            self._changed()

        measure.on_value_change(chosen)
        self._told(row)
        self._rows.append(row)

    def _told(self, row: _Row) -> None:
        row.words.text = ", ".join(f"{name}: {value}" for name, value in (row.parameters or {}).items())

    def _removed(self, row: _Row, place: ui.row) -> None:
        self._rows.remove(row)
        place.delete()
        self._changed()

    async def _parameters(self, row: _Row) -> None:
        if not row.measure.value:
            self.tell("Choose the measure first, then its parameters.")
            return
        unit = unit_form("measures", row.measure.value)
        with ui.dialog().props("persistent") as dialog, ui.card().classes("ammg-dialog ammg-wide"):
            ui.label(self._measures[unit.name]).props('role="heading" aria-level="2"').classes("ammg-section")
            ui.label(unit.meaning).classes("ammg-quiet")
            with ui.column().classes("w-full ammg-scroll").props('tabindex="0" role="region" aria-label="Parameters"'):
                form = UnitForm("measures", unit, self._schema, row.parameters, lambda: told())
            with ui.row().classes("w-full justify-end"):
                ui.button("Cancel", on_click=lambda: dialog.submit(None)).props("flat no-caps")
                save = ui.button("Save", on_click=lambda: dialog.submit(form.parameters)).props("unelevated no-caps")

            def told() -> None:
                save.set_enabled(not form.problems)

        given = await dialog
        if not dialog.is_deleted:  # the page may have been left
            dialog.delete()
        if given is not None:
            row.parameters = given or None
            self._told(row)
            self._changed()
