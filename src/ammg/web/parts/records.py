"""Records as a table: columns by position, so that any name can stand above them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nicegui import ui

_ROWS = 20
_COLUMNS = 40
"""Columns that are shown at first; a table of hundreds would keep the browser busy."""


def records_table(columns: Sequence[str], rows: Sequence[Sequence[Any]], label: str) -> None:
    """Show records; missing values are empty. Of many columns the person chooses some."""
    shown = list(range(min(len(columns), _COLUMNS)))
    if len(columns) <= _COLUMNS:
        _table(columns, rows, shown, label)
        return
    chosen = ui.select(
        dict(enumerate(columns)), value=shown, multiple=True, with_input=True, label=f"Columns (of {len(columns):,})"
    )
    chosen.props("outlined dense").classes("w-full")
    place = ui.element("div").classes("w-full")

    def fill() -> None:
        # The names of what is chosen would fill the page: their number says enough.
        chosen.props["display-value"] = f"{len(chosen.value or ())} are shown"
        place.clear()
        with place:
            _table(columns, rows, sorted(chosen.value or ()), label)

    chosen.on_value_change(fill)
    fill()


def _table(columns: Sequence[str], rows: Sequence[Sequence[Any]], shown: Sequence[int], label: str) -> None:
    described = [
        {
            "name": f"c{n}",
            "field": f"c{n}",
            "label": columns[n],
            "sortable": True,
            "align": "right" if all(_is_number(row[n]) for row in rows) else "left",
        }
        for n in shown
    ]
    cells = [{"id": number, **{f"c{n}": row[n] for n in shown}} for number, row in enumerate(rows)]
    table = ui.table(columns=described, rows=cells, row_key="id", pagination={"rowsPerPage": _ROWS})
    table.props["aria-label"] = label
    table.props("flat dense bordered").classes("w-full ammg-records")


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))
