"""Masked files side by side: one row per measure, and the map of risk against loss."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nicegui import ui

from ammg.charts.chart import Chart
from ammg.report.words import named
from ammg.store.evaluations import compare
from ammg.store.values import Comparison
from ammg.web.parts.charts import show_chart
from ammg.web.parts.states import section
from ammg.web.visit import Visit

_MOST = 20
_AT_FIRST = 4


class ComparedFiles:
    """Which files are compared, their numbers, and the map."""

    def __init__(self, visit: Visit, names: Mapping[str, str], current: str) -> None:
        self._visit, self._names = visit, names
        first = [current, *(one for one in names if one != current)][:_AT_FIRST]
        with section("Compare", "Every measure of several masked files or versions, side by side."):
            self._chosen = ui.select(
                dict(names), value=first, multiple=True, label="Masked files and versions", on_change=self.show
            ).props("outlined dense use-chips")
            self._chosen.classes("w-full")
            self._table = ui.element("div").classes("w-full")
        with section("Risk against loss (R-U map)", "Further left is safer, lower is more useful."):
            with ui.row().classes("w-full"):
                self._risk = ui.select([], label="Risk by", on_change=self._draw).props("outlined dense")
                self._loss = ui.select([], label="Loss by", on_change=self._draw).props("outlined dense")
                for one in (self._risk, self._loss):
                    one.classes("w-64")
            self._map = ui.element("div").classes("w-full")
        self._found: Comparison | None = None

    async def show(self) -> None:
        """Compare what is chosen."""
        chosen = list(self._chosen.value)[:_MOST]
        self._table.clear()
        self._map.clear()
        if not chosen:
            return
        self._found = found = await self._visit.ask(compare, self._visit.project_id, chosen)
        with self._table:
            _table(found, self._names)
        for select, family in ((self._risk, "risk"), (self._loss, "loss")):
            options = {row["measure"]: named(row["measure"]) for row in found.rows if row["family"] == family}
            kept = select.value if select.value in options else next(iter(options), None)
            select.set_options(options, value=kept)
        self._draw()

    def _draw(self) -> None:
        self._map.clear()
        if self._found is None or not (self._risk.value and self._loss.value):
            return
        with self._map:
            chart = risk_loss_map(self._found, self._names, self._risk.value, self._loss.value)
            if chart is None:
                ui.label("No file has both numbers: choose others.").classes("ammg-quiet")
            else:
                show_chart(chart, title=False)


def risk_loss_map(found: Comparison, names: Mapping[str, str], risk: str, loss: str) -> Chart | None:
    """Every file by its risk and its loss; files without either are left out."""
    rows = {row["measure"]: row["values"] for row in found.rows}
    points = {
        one: (x, y)
        for one in found.columns
        if (x := rows[risk].get(one, {}).get("value")) is not None
        and (y := rows[loss].get(one, {}).get("value")) is not None
    }
    if not points:
        return None
    return Chart(
        "points",
        "Risk against loss",
        tuple(x for x, _ in points.values()),
        {names[one]: tuple(y if other == one else None for other in points) for one, (_, y) in points.items()},
        f"risk by {named(risk)}",
        f"loss by {named(loss)}",
    )


def _table(found: Comparison, names: Mapping[str, str]) -> None:
    columns: list[dict[str, Any]] = [
        {"name": "measure", "field": "measure", "label": "Measure", "align": "left", "sortable": True},
        {"name": "family", "field": "family", "label": "Family", "align": "left", "sortable": True},
        *(
            {"name": one, "field": one, "label": names[one], "align": "right", "sortable": True}
            for one in found.columns
        ),
    ]
    rows = [
        {
            "measure": named(row["measure"]),
            "family": row["family"],
            **{one: _told(row["values"].get(one)) for one in found.columns},
        }
        for row in found.rows
    ]
    with (
        ui.table(columns=columns, rows=rows, row_key="measure").props("flat dense bordered").classes("w-full") as table
    ):
        for one in found.columns:  # broken limits in red, and in words for those who do not see colours
            table.add_slot(
                f"body-cell-{one}",
                "<q-td :props=\"props\"><span :class=\"props.value.endsWith('limit broken)') ? 'ammg-bad' : ''\">"
                "{{ props.value }}</span></q-td>",
            )


def _told(cell: Mapping[str, Any] | None) -> str:
    if cell is None:
        return ""
    value = "not defined" if cell["value"] is None else f"{cell['value']:.4g}"
    return f"{value} (limit broken)" if cell["is_broken"] else value
