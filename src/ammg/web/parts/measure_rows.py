"""Risk and loss, one row per measure; each opens to show what stands behind its number."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from ammg import registry
from ammg.charts.chart import Chart
from ammg.measures.measurement import Measurement, Table
from ammg.pipeline.evaluation import Evaluation
from ammg.report.words import definition, named, plain, told, told_of
from ammg.web.parts.charts import show_chart
from ammg.web.parts.limit_lights import light
from ammg.web.parts.states import section

_TITLES = {
    "risk": ("Disclosure risk", "What an intruder could find out. Open a row to see where it comes from."),
    "loss": ("Information loss", "What an analyst no longer has. Open a row to see which attributes lost most."),
    "score": ("Scores", "Risk and loss in one number."),
}
_BARS = 30  # attributes in a picture


def measure_rows(evaluation: Evaluation) -> None:
    """All measures by family."""
    families: dict[str, list[str]] = {family: [] for family in _TITLES}
    for label in evaluation.after:
        families.setdefault(evaluation.measures[label].family, []).append(label)
    for family, labels in families.items():
        if labels:
            title, advice = _TITLES.get(family, (named(family).capitalize(), ""))
            with section(title, advice), ui.column().classes("w-full gap-0"):
                _head()
                for label in labels:
                    _row(evaluation, label)


def _head() -> None:
    with ui.element("div").classes("ammg-measure ammg-measure-head ammg-quiet").props('aria-hidden="true"'):
        for words in ("measure", "before", "after", "limit"):
            ui.label(words)


def _row(evaluation: Evaluation, label: str) -> None:
    measure, found = evaluation.measures[label], evaluation.after[label]
    limit = evaluation.limits.get(label)
    before = told_of(measure, evaluation.before.get(label))
    with ui.expansion().classes("w-full ammg-measure-row") as opened:
        with opened.add_slot("header"), ui.element("div").classes("ammg-measure"):
            with ui.column().classes("gap-0"):
                ui.label(named(label)).classes("font-medium")
                said = f"Not defined: {found.reason}." if found.value is None else registry.meaning(type(measure))
                ui.label(said).classes("text-caption ammg-quiet")
            ui.label(before or "–").classes("ammg-number")
            ui.label(told(measure, found.value)).classes("ammg-number font-medium")
            if limit is None:
                ui.label("–").classes("ammg-number ammg-quiet")
            else:
                light(label not in evaluation.broken, told(measure, limit.at_most)).classes("justify-end")

        def fill() -> None:
            if opened.value and not opened.default_slot.children:
                with opened, ui.column().classes("w-full q-pb-md"):
                    _behind(evaluation, label, found)

        opened.on_value_change(fill)


def _behind(evaluation: Evaluation, label: str, found: Measurement) -> None:
    """Facts, tables, charts and columns of one measure."""
    measure = evaluation.measures[label]
    _, more, source = definition(type(measure))
    for text in (more, f"Source: {source}" if source else "", evaluation.broken.get(label, "")):
        if text:
            ui.label(text).classes("ammg-prose ammg-bad" if text in evaluation.broken.values() else "ammg-prose")
    if found.interval is not None:
        ui.label(f"95 % interval: {' to '.join(told(measure, end) for end in found.interval)}")
    facts = {named(name): plain(fact) for name, fact in found.facts.items()}
    unmasked = evaluation.before.get(label)
    if unmasked is not None:
        facts |= {f"{named(name)} (unmasked file)": plain(fact) for name, fact in unmasked.facts.items()}
    if facts:
        fact_list(facts)
    if found.by_column:
        show_chart(_by_column(named(label), found, percent=measure.percent))
    for name, table in found.tables.items():
        if len(table):
            _table(named(name), table)
    with ui.element("div").classes("ammg-charts"):
        for chart in found.charts:
            show_chart(chart)


def fact_list(facts: dict[str, str]) -> None:
    """Names with their values."""
    with ui.element("dl").classes("ammg-facts"):
        for name, value in facts.items():
            with ui.element("dt"):
                ui.label(name)
            with ui.element("dd"):
                ui.label(value)


def _by_column(title: str, found: Measurement, *, percent: bool) -> Chart:
    known = {name: value for name, value in found.by_column.items() if value is not None}
    names = sorted(known, key=lambda name: -known[name])[:_BARS]
    more = f" (the {_BARS} greatest of {len(known)})" if len(known) > _BARS else ""
    values = tuple(known[name] for name in names)
    return Chart("bars", f"By attribute{more}", tuple(names), {title: values}, percent=percent)


def _table(title: str, table: Table) -> None:
    columns = [
        {
            "name": f"c{n}",
            "field": f"c{n}",
            "label": named(name),
            "align": "left" if column.type == "text" else "right",
            "sortable": True,
        }
        for n, (name, column) in enumerate(table.columns.items())
    ]
    kinds = [column.type for column in table.columns.values()]
    cells = zip(*(column.cells for column in table.columns.values()), strict=True)
    rows = [{f"c{n}": _cell(value, kinds[n]) for n, value in enumerate(row)} for row in cells]
    ui.label(title).classes("text-subtitle2")
    ui.table(columns=columns, rows=rows, pagination=10 if len(rows) > 10 else None).props("flat dense bordered")


def _cell(value: Any, kind: str) -> str:
    if value is None:
        return "–"
    if kind == "text":
        return str(value)
    return f"{value:,}" if kind == "count" else f"{100 * value:.2f} %" if kind == "share" else f"{value:.4g}"
