"""Tabs that are filled when they are opened, and that a page loaded again finds by its address."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from nicegui import ui

Fill = Callable[[], Awaitable[None]]


async def lazy_tabs(
    words: Mapping[str, str], fill: Mapping[str, Fill], first: str, address: Callable[[str], str]
) -> None:
    """One tab for each name; `first` is open, unless there is none of this name."""
    opened = first if first in words else next(iter(words))
    filled: set[str] = set()
    with ui.tabs().props("no-caps align=left outside-arrows mobile-arrows").classes("w-full") as tabs:
        for name, shown in words.items():
            ui.tab(name, shown)
    with ui.tab_panels(tabs, value=opened, animated=False).classes("w-full ammg-panels"):
        panels = {name: ui.tab_panel(name).classes("q-px-none") for name in words}

    async def show(name: str) -> None:
        if name not in filled:
            filled.add(name)
            with panels[name]:
                await fill[name]()

    async def turned() -> None:
        ui.navigate.history.replace(address(str(tabs.value)))
        await show(str(tabs.value))

    await show(opened)
    tabs.on_value_change(turned)
