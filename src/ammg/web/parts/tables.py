"""Tables: rows that lead somewhere, and many records with the browser drawing only what is in sight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nicegui import ui

_LINK = """
<q-td :props="props">
  <a :href="props.row.href" class="ammg-row-link">{{ props.value }}</a>
  <div v-if="props.row.note" class="ammg-quiet ammg-note">{{ props.row.note }}</div>
</q-td>
"""


def columns(given: Sequence[tuple[str, str, str]]) -> list[dict[str, Any]]:
    """Columns of a table by (field, words, align)."""
    return [
        {"name": name, "label": words, "field": name, "align": align, "sortable": True} for name, words, align in given
    ]


def link_table(
    given: Sequence[tuple[str, str, str]], rows: list[dict[str, Any]], *, label: str, row_key: str = "id"
) -> ui.table:
    """A table whose first column leads to the `href` of its row; `note` stands below it."""
    pages: dict[str, Any] = {"rowsPerPage": 25}
    table = ui.table(columns=columns(given), rows=rows, row_key=row_key, pagination=pages).classes("w-full")
    table.props(f'flat bordered aria-label="{label}"' + (" hide-pagination" if len(rows) <= 25 else ""))
    table.add_slot(f"body-cell-{given[0][0]}", _LINK)
    return table


_WIDE = 40
"""Columns that are shown together: a browser draws all that a row has."""


def record_table(names: Sequence[str], rows: Sequence[Sequence[Any]], *, label: str) -> None:
    """Records under the names of their columns, as text; only what is in sight is drawn."""
    if len(names) <= _WIDE:
        _records(names, rows, label)
        return
    starts = {start: f"{start + 1} to {min(start + _WIDE, len(names))}" for start in range(0, len(names), _WIDE)}

    def show(start: int) -> None:
        place.clear()
        with place:
            _records(names[start : start + _WIDE], [row[start : start + _WIDE] for row in rows], label)

    ui.select(starts, value=0, label="Columns", on_change=lambda event: show(event.value)).props("dense outlined")
    place = ui.column().classes("w-full")
    show(0)


def _records(names: Sequence[str], rows: Sequence[Sequence[Any]], label: str) -> None:
    shown = [
        {"key": number, **{f"c{place}": _text(value) for place, value in enumerate(row)}}
        for number, row in enumerate(rows)
    ]
    heads = [
        {
            "name": f"c{place}",
            "label": name,
            "field": f"c{place}",
            "align": "right" if _is_numeric(rows, place) else "left",
        }
        for place, name in enumerate(names)
    ]
    table = ui.table(columns=heads, rows=shown, row_key="key", pagination={"rowsPerPage": 0}).classes("w-full")
    table.props(f'flat bordered dense virtual-scroll hide-bottom table-style="max-height: 26rem" aria-label="{label}"')
    table.classes("ammg-records")


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _is_numeric(rows: Sequence[Sequence[Any]], place: int) -> bool:
    return any(isinstance(row[place], int | float) for row in rows[:20])
