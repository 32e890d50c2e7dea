"""A mapping as rows: a column or a name, and its value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nicegui import ui

from ammg.projects.editing.form_fields import FormField
from ammg.web.parts.forms.controls import ABSENT, Changed, Control, label_of, number_of


class MappingControl(Control):
    """Rows that are added and removed; the control is the whole of them."""

    def __init__(self, field: FormField, given: Any, changed: Changed) -> None:
        self.field, self._changed = field, changed
        self._rows: list[tuple[Any, ui.input]] = []
        with ui.column().classes("w-full gap-1 ammg-field").props('role="group"') as self.element:
            self.element.props["aria-label"] = field.label
            ui.label(label_of(field)).classes("text-sm")
            self._place = ui.column().classes("w-full gap-1")
            entries = {} if given is ABSENT or not isinstance(given, Mapping) else given
            for name, value in entries.items():
                self._add(str(name), str(value))
            with ui.row().classes("items-center"):
                ui.button("Add", icon="add", on_click=lambda: self._add()).props("flat dense no-caps").props[
                    "aria-label"
                ] = f"Add to {field.label}"
            ui.label(field.help).classes("ammg-hint")
            self._message = ui.label().classes("ammg-bad ammg-hint").props('role="alert"')

    def read(self) -> Any:
        """The rows that have a name."""
        found: dict[str, Any] = {}
        for key, value in self._rows:
            if key.value:
                text = str(value.value or "").strip()
                found[str(key.value)] = text if self.field.values == "text" else number_of(text)
        return found or ABSENT

    def tell(self, message: str | None) -> None:
        """Below the rows."""
        self._message.text = message or ""

    def _add(self, name: str = "", value: str = "") -> None:
        number = len(self._rows) + 1
        with self._place, ui.row().classes("w-full items-center no-wrap gap-2") as row:
            key: Any
            if self.field.columns:
                names = [*self.field.columns, *({name} - {"", *self.field.columns})]
                key = ui.select(names, value=name or None, with_input=True, on_change=self._changed)
            else:
                key = ui.input(value=name, on_change=self._changed)
            key.props("outlined dense").classes("grow").props["aria-label"] = f"{self.field.label}: name {number}"
            typed = ui.input(value=value, on_change=self._changed).props("outlined dense").classes("w-32")
            typed.props["aria-label"] = f"{self.field.label}: value {number}"
            entry = (key, typed)
            remove = ui.button(icon="close", on_click=lambda: self._removed(entry, row)).props("flat round dense")
            remove.props["aria-label"] = f"Remove row {number} of {self.field.label}"
        self._rows.append(entry)

    def _removed(self, entry: tuple[Any, ui.input], row: ui.row) -> None:
        self._rows.remove(entry)
        row.delete()
        self._changed()
