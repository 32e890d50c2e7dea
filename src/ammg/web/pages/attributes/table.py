"""All attributes in one table that is edited in place; the browser draws only the rows in sight."""

from __future__ import annotations

from functools import partial
from html import escape
from typing import Any

from nicegui import events, ui

from ammg.projects.attributes.lines import FIELDS, AttributeLine, with_attributes
from ammg.projects.forms import vocabulary
from ammg.web.pages.attributes.desk import Desk
from ammg.web.parts.tables import columns


async def table(desk: Desk) -> None:
    """Role, kind, level, label and link of every attribute, and what they rest on."""
    AttributeTable(desk)


class AttributeTable:
    """The table with its changes, which are saved together."""

    def __init__(self, desk: Desk) -> None:
        self._desk, self._words = desk, vocabulary()
        self._lines = {line.name: line for line in desk.lines()}
        self._changes = desk.changes
        self._is_unsaved = bool(self._changes)
        self._tools()
        self._grid = Grid([_row(line, self._changes.get(line.name, {})) for line in self._lines.values()], self._words)
        self._grid.on("edit", self._edited)
        # One element for all names: hundreds of elements take a browser a second.
        options = "".join(f'<option value="{escape(name)}"></option>' for name in self._lines)
        ui.html(options, sanitize=False, tag="datalist").props('id="ammg-names"')
        for note in desk.analysis.get("notes", ()):
            ui.label(note).classes("ammg-quiet")
        self._state()

    def _tools(self) -> None:
        roles = self._words.roles
        with ui.row().classes("w-full items-center gap-3 ammg-tools"):
            self._search = ui.input(placeholder="Search", on_change=self._draw).classes("w-48")
            self._search.props('dense outlined clearable aria-label="Search attributes"')
            shown = {"": "All roles", **{role: role.capitalize() for role in roles}}
            self._only = ui.select(shown, value="", on_change=self._draw).classes("w-36")
            self._only.props('dense outlined aria-label="Role shown"')
            with ui.button("Set the role of all shown", icon="done_all").props("flat no-caps dense"), ui.menu():
                for role in roles:
                    ui.menu_item(role.capitalize(), partial(self._set_all, role))
            ui.space()
            self._count = ui.label().classes("ammg-quiet").props('role="status"')
            self._undo = ui.button("Undo", on_click=self._undone).props("flat no-caps")
            self._save = ui.button("Save", icon="save", on_click=self._saved).props("unelevated no-caps")

    def _shown(self) -> list[AttributeLine]:
        text, role = (self._search.value or "").casefold(), self._only.value or ""
        return [
            line
            for line in self._lines.values()
            if text in f"{line.name} {line.label}".casefold()
            and role in ("", self._changes.get(line.name, {}).get("role", line.role))
        ]

    def _draw(self) -> None:
        self._grid.show([_row(line, self._changes.get(line.name, {})) for line in self._shown()])
        self._state()

    def _state(self) -> None:
        number = sum(len(fields) for fields in self._changes.values())
        self._count.text = "" if not number else f"{number:,} change{'s' if number > 1 else ''} not saved"
        self._save.set_enabled(bool(number))
        self._undo.set_enabled(bool(number))
        if bool(number) != self._is_unsaved:
            self._is_unsaved = bool(number)
            ui.run_javascript(f"window.ammgUnsaved = {str(self._is_unsaved).lower()}")

    def _note(self, name: str, field: str, value: str) -> None:
        fields = self._changes.setdefault(name, {})
        if value == getattr(self._lines[name], field):
            fields.pop(field, None)
        else:
            fields[field] = value
        if not fields:
            del self._changes[name]

    def _edited(self, event: events.GenericEventArguments) -> None:
        name, field, value = (str(event.args.get(part, "")) for part in ("name", "field", "value"))
        if name not in self._lines or field not in FIELDS:
            return
        self._note(name, field, value)  # the browser shows it already: nothing is drawn again
        self._state()

    def _set_all(self, role: str) -> None:
        for line in self._shown():
            self._note(line.name, "role", role)
        self._draw()

    def _undone(self) -> None:
        self._changes.clear()
        self._draw()

    async def _saved(self) -> None:
        document = with_attributes(self._desk.document, self._desk.analysis, self._changes)
        names = ", ".join(list(self._changes)[:5]) + (" …" if len(self._changes) > 5 else "")
        await self._desk.save(document, f"attributes: {names}"[:400])
        self._changes.clear()
        self._lines = {line.name: line for line in self._desk.lines()}
        self._draw()


class Grid(ui.element, component="attribute_grid.js"):
    """The rows as the browser draws and edits them."""

    def __init__(self, rows: list[dict[str, Any]], words: Any) -> None:
        super().__init__()
        heads = [
            ("name", "Attribute, and why", "left"),
            ("role", "Role", "left"),
            ("kind", "Kind", "left"),
            ("level", "Level", "left"),
            ("label", "Label", "left"),
            ("link", "Follows", "left"),
            ("bars", "Distribution", "left"),
            ("distinct", "Values", "right"),
            ("missing", "Missing", "right"),
        ]
        self._props["columns"] = columns(heads)
        self._props["choices"] = {"role": words.roles, "kind": words.kinds, "level": words.levels}
        self.classes("w-full ammg-records ammg-attributes")
        self.show(rows)

    def show(self, rows: list[dict[str, Any]]) -> None:
        """Draw these rows."""
        self._props["rows"] = rows
        self.update()


def _row(line: AttributeLine, changed: dict[str, str]) -> dict[str, Any]:
    most = max((count for _, count in line.distribution), default=0)
    heights = [max(1.0, round(28 * count / most, 1)) if count else 0 for _, count in line.distribution] if most else []
    top = sorted(line.distribution, key=lambda part: -part[1])[:3]
    told = "; ".join(f"{words}: {count:,}" for words, count in top)
    return {
        "name": line.name,
        "reason": f"{line.proposed}: {line.reason}" if line.reason else f"proposed: {line.proposed}",
        "role": line.role,
        "kind": line.kind,
        "level": line.level,
        "label": line.label,
        "link": line.link,
        **changed,
        "bars": heights,
        "words": f"Distribution of {line.name}. Most frequent: {told}" if told else f"{line.name}: not shown",
        "distinct": line.distinct,
        "missing": line.missing,
    }
