"""Charts on pages: the drawing, what it says in words, and its numbers as a table."""

from __future__ import annotations

from nicegui import ui

from ammg.charts.axes import visible
from ammg.charts.chart import Chart
from ammg.web.parts.chart_options import height_of, options, place_told, value_told

_SPOKEN = 12  # values that the text alternative reads out; the table has all


def show_chart(chart: Chart, *, title: bool = True, numbers: bool = True) -> ui.echart:
    """Draw a chart with its title, its meaning for those who do not see it, and its numbers on demand."""
    with ui.element("figure").classes("w-full m-0"):
        if title:
            ui.label(visible(chart.title)).classes("text-subtitle2 q-mb-xs")
        drawn = ui.echart(options(chart), renderer="svg").style(f"height: {height_of(chart)}px; width: 100%")
        drawn.props["role"] = "img"
        drawn.props["aria-label"] = in_words(chart)
        if caption := _axes(chart):
            ui.label(caption).classes("text-caption")
        if numbers:
            _numbers(chart)
    return drawn


def update_chart(drawn: ui.echart, chart: Chart) -> None:
    """Let a chart that is shown tell something else."""
    drawn.props["aria-label"] = in_words(chart)
    drawn.options.clear()
    drawn.options.update(options(chart))
    drawn.style(f"height: {height_of(chart)}px")
    drawn.update()


def in_words(chart: Chart) -> str:
    """What a chart shows, for a reader that speaks."""
    told = []
    for name, values in chart.series.items():
        known = [
            f"{place_told(place)}: {value_told(chart, value)}"
            for place, value in zip(chart.x, values, strict=True)
            if value is not None
        ]
        more = f" and {len(known) - _SPOKEN} more" if len(known) > _SPOKEN else ""
        told.append(f"{visible(name)}: {'; '.join(known[:_SPOKEN]) or 'nothing'}{more}")
    told += [f"{visible(name)} at {place_told(place)}" for name, place in chart.rules.items()]
    return ". ".join([visible(chart.title), *told])[:2000]


def _axes(chart: Chart) -> str:
    """What the axes stand for."""
    ways = ("Rows", "Bars") if chart.kind == "bars" else ("Across", "Up")
    named = zip(ways, (chart.x_label, chart.y_label), strict=True)
    return ". ".join(f"{way}: {visible(label)}" for way, label in named if label)


def _numbers(chart: Chart) -> None:
    """The values as a table, made when somebody opens it."""
    with ui.expansion("Show the numbers").props("dense").classes("w-full text-caption") as opened:
        pass

    def fill() -> None:
        if not opened.value or opened.default_slot.children:
            return
        columns = [{"name": "place", "label": visible(chart.x_label) or "", "field": "place", "align": "left"}]
        columns += [
            {"name": f"s{n}", "label": visible(name), "field": f"s{n}", "align": "right"}
            for n, name in enumerate(chart.series)
        ]
        rows = [
            {"place": place_told(place)}
            | {f"s{n}": _cell(chart, values[row]) for n, values in enumerate(chart.series.values())}
            for row, place in enumerate(chart.x)
        ]
        with opened:
            ui.table(columns=columns, rows=rows, pagination=20 if len(rows) > 20 else None).props("flat dense").classes(
                "w-full"
            )

    opened.on_value_change(fill)


def _cell(chart: Chart, value: float | None) -> str:
    return "" if value is None else value_told(chart, value)
