"""The versions of a project: what changed, by whom, and the way back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import ui

from ammg.store import versions
from ammg.store.values import VersionInfo
from ammg.web.visit import Visit

_SHOWN = 12


class History:
    """The list, newest first; built where it is called."""

    def __init__(self, visit: Visit, go_back: Callable[[int], Awaitable[None]]) -> None:
        self._visit, self._go_back, self._all = visit, go_back, False
        ui.label(
            "Every change creates a new version; old versions are never changed, and going back deletes nothing."
        ).classes("ammg-quiet")
        self._body = ui.column().classes("w-full gap-0").props('role="list" aria-label="Versions"')

    async def show(self) -> None:
        """Fill the list."""
        found = await self._visit.ask(versions.list_versions, self._visit.project_id)
        self._body.clear()
        with self._body:
            for one in found if self._all else found[:_SHOWN]:
                self._row(one)
            if not self._all and len(found) > _SHOWN:
                ui.button(f"Show all {len(found)} versions", on_click=self._whole).props("flat no-caps")

    async def _whole(self) -> None:
        self._all = True
        await self.show()

    def _row(self, one: VersionInfo) -> None:
        with ui.row().classes("ammg-version w-full items-center no-wrap").props('role="listitem"'):
            ui.label(f"Version {one.number}").classes("font-medium ammg-version-number")
            with ui.column().classes("grow gap-0"):
                ui.label(one.note or "no note")
                based = f", based on version {one.based_on}" if one.based_on else ""
                ui.label(f"{one.created_by}, {one.created_at:%d %b %Y %H:%M} UTC{based}").classes("ammg-hint")
            if one.is_current:
                ui.label("current").classes("ammg-tag")
            elif self._visit.may_work:
                button = ui.button("Go back", icon="history", on_click=lambda: self._go_back(one.number))
                button.props("flat dense no-caps").props["aria-label"] = f"Go back to version {one.number}"
