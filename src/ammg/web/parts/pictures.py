"""Distributions and correlations before and after masking, a page of them at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui

from ammg.charts.chart import Chart
from ammg.web.parts.charts import show_chart
from ammg.web.parts.states import section

_SHOWN = 6
_LARGE = 20
"""Attributes in a map that is drawn at once; thousands of cells are drawn when somebody wants them."""


def distribution_pages(pictures: Mapping[str, Any]) -> None:
    """The distributions of all attributes, found by name."""
    found: Sequence[Mapping[str, Any]] = pictures.get("distributions", ())
    with section("Distributions", "How often each value or class occurs, before and after masking."):
        if not found:
            ui.label("There are none: the file is streamed from disk, or this evaluation was made without pictures.")
            return
        wanted = ui.input("Find an attribute").props("dense outlined clearable").classes("w-64")
        wanted.visible = len(found) > _SHOWN
        shown = ui.element("div").classes("ammg-charts")
        pages = ui.pagination(1, 1, direction_links=True).props('aria-label="Pages of attributes"')

    def chosen() -> list[Mapping[str, Any]]:
        text = (wanted.value or "").casefold()
        return [one for one in found if text in one["name"].casefold()]

    def fill() -> None:
        shown.clear()
        begin = (pages.value - 1) * _SHOWN
        with shown:
            for one in chosen()[begin : begin + _SHOWN]:
                _distribution(one)

    def narrow() -> None:
        pages.max = max(1, -(-len(chosen()) // _SHOWN))
        pages.visible = pages.max > 1
        pages.value = 1
        fill()

    pages.on_value_change(fill)
    wanted.on_value_change(narrow)
    narrow()


def correlation_maps(pictures: Mapping[str, Any]) -> None:
    """Both maps side by side."""
    with section("Correlations", "Between numbers, before and after masking."):
        if note := pictures.get("correlations_note"):
            ui.label(note)
        maps = [Chart.from_dict(plain) for plain in pictures.get("correlations", ())]
        place = ui.element("div").classes("ammg-charts")

        def draw() -> None:
            with place:
                for one in maps:
                    show_chart(one)

        if not maps or len(maps[0].x) <= _LARGE:
            draw()
            return

        def drawn() -> None:
            wanted.delete()
            draw()

        wanted = ui.button(f"Draw the correlations of {len(maps[0].x)} attributes", on_click=drawn)
        wanted.props("outline no-caps")


def _distribution(one: Mapping[str, Any]) -> None:
    with ui.column().classes("gap-0"):
        if one["chart"] is None:
            ui.label(one["name"]).classes("text-subtitle2")
            ui.label(f"Not drawn: {one['note']}.").classes("ammg-quiet")
            return
        show_chart(Chart.from_dict(one["chart"]))
        if one["note"]:
            ui.label(one["note"]).classes("text-caption ammg-quiet")
