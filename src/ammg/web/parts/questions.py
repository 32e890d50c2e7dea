"""Dialogs that ask before something is done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from nicegui import ui


@contextmanager
def asking(title: str) -> Iterator[ui.dialog]:
    """A dialog with a heading, open at once; fill it, and close it when it is answered."""
    with ui.dialog(value=True) as dialog, ui.card().classes("ammg-dialog"):
        dialog.props["aria-label"] = title
        ui.label(title).props('role="heading" aria-level="2"').classes("ammg-section")
        yield dialog


async def confirmed(title: str, message: str, action: str, *, harmful: bool = False) -> bool:
    """Ask, and wait for the answer; closing the dialog means no."""
    with asking(title) as dialog:
        ui.label(message)
        with ui.row().classes("w-full justify-end"):
            ui.button("Cancel", on_click=lambda: dialog.submit(False)).props("flat no-caps")
            colour = "negative" if harmful else "primary"
            ui.button(action, color=colour, on_click=lambda: dialog.submit(True)).props("unelevated no-caps autofocus")
    answer = await dialog
    dialog.delete()
    return bool(answer)
