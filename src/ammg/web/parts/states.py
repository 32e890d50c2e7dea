"""What a page shows where there is nothing yet, or where something is wrong."""

from __future__ import annotations

from nicegui import ui


def empty(title: str, advice: str, icon: str = "inbox") -> ui.element:
    """An empty place that says what to do next; buttons go into what is returned."""
    with ui.column().classes("ammg-empty"):
        ui.icon(icon).classes("ammg-empty-icon").props('aria-hidden="true"')
        ui.label(title).props('role="heading" aria-level="2"').classes("ammg-empty-title")
        ui.label(advice).classes("ammg-quiet")
        return ui.row().classes("justify-center")


def problem(title: str, message: str) -> None:
    """Why a page cannot be shown, and the way back."""
    with empty(title, message, icon="search_off"):
        ui.button("All projects", on_click=lambda: ui.navigate.to("/")).props("outline no-caps")


def section(title: str, advice: str = "") -> ui.card:
    """A card with a heading; fill what is returned."""
    with ui.card().classes("ammg-card") as card:
        ui.label(title).props('role="heading" aria-level="2"').classes("ammg-section")
        if advice:
            ui.label(advice).classes("ammg-quiet")
    return card
