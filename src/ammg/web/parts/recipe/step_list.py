"""The steps of a recipe in order: drag them, move them by keyboard, switch them off, open or remove them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from nicegui import ui

from ammg.projects.editing.steps import Step
from ammg.web.parts.states import empty


class Editing(Protocol):
    """What a list of steps asks for."""

    async def move(self, position: int, to: int) -> None:
        """Put a step elsewhere."""

    async def switch(self, position: int) -> None:
        """Switch a step off or on."""

    async def edit(self, position: int) -> None:
        """Open a step."""

    async def remove(self, position: int) -> None:
        """Take a step out."""


def show_steps(steps: tuple[Step, ...], editing: Editing, *, may_work: bool) -> None:
    """The list; whoever may not work sees it without buttons."""
    if not steps:
        advice = "Add a method, or let the wizard find a recipe." if may_work else "No method has been added yet."
        empty("There are no steps yet", advice, icon="playlist_add")
        return
    with ui.column().classes("w-full gap-2").props('role="list" aria-label="Steps"') as place:
        for position, step in enumerate(steps):
            _card(position, step, len(steps), editing if may_work else None)
    if may_work and len(steps) > 1:

        async def dropped(event: Any) -> None:
            if event.old_index != event.new_index:
                await editing.move(event.old_index, event.new_index)

        place.make_sortable(handle=".ammg-handle", on_end=dropped)


def _card(position: int, step: Step, count: int, editing: Editing | None) -> None:
    with ui.row().classes("ammg-step no-wrap w-full").props('role="listitem"') as card:
        if step.is_off:
            card.classes("ammg-off")
        if editing is not None and count > 1:
            ui.icon("drag_indicator").classes("ammg-handle").props('aria-hidden="true"').tooltip("Drag to reorder")
        ui.label(str(position + 1)).classes("ammg-step-number").props('aria-hidden="true"')
        with ui.column().classes("grow gap-0 ammg-step-text"):
            with ui.row().classes("items-center gap-2"):
                ui.label(step.title).classes("font-medium")
                if step.is_off:
                    ui.label("off").classes("ammg-tag")
            if step.words:
                ui.label(step.words).classes("ammg-words")
            ui.label(step.meaning).classes("ammg-hint")
        if editing is not None:
            _buttons(position, step, count, editing)


def _buttons(position: int, step: Step, count: int, editing: Editing) -> None:
    name = f"step {position + 1}, {step.title}"
    with ui.row().classes("no-wrap gap-0 ammg-step-buttons"):
        _button("arrow_upward", f"Move {name} up", lambda: editing.move(position, position - 1), position > 0)
        _button(
            "arrow_downward", f"Move {name} down", lambda: editing.move(position, position + 1), position + 1 < count
        )
        switch = "toggle_off" if step.is_off else "toggle_on"
        _button(switch, f"Switch {name} {'on' if step.is_off else 'off'}", lambda: editing.switch(position))
        _button("edit", f"Edit {name}", lambda: editing.edit(position))
        _button("delete_outline", f"Remove {name}", lambda: editing.remove(position))


def _button(icon: str, words: str, action: Callable[[], Awaitable[None]], enabled: bool = True) -> None:
    button = (
        ui.button(icon=icon, on_click=action).props("flat round dense size=sm").tooltip(words.partition(" step")[0])
    )
    button.props["aria-label"] = words
    button.set_enabled(enabled)
