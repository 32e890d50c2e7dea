"""A chart as options for ECharts: one drawing for light and dark pages, and no text that is read as HTML."""

from __future__ import annotations

import math
from textwrap import shorten
from typing import Any

from ammg.charts.axes import COLOURS, LIMIT, MARKERS, share, visible
from ammg.charts.chart import Chart

INK = "currentColor"
"""What the page writes with: SVG takes it over, so that a chart follows when the page turns dark."""
_FONT = 'system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif'  # of the pages: texts are measured with it
_FAINT = "rgba(128, 128, 128, 0.25)"
_PALETTE = tuple(INK if colour == "#000000" else colour for colour in COLOURS)
_SYMBOLS = {"o": "circle", "s": "rect", "^": "triangle", "D": "diamond", "v": "arrow", "P": "pin"}
_DIVERGING = ("#2166ac", "#67a9cf", "#f7f7f7", "#ef8a62", "#b2182b")
_LABEL = 170  # pixels that names beside bars may take
_LINE = 24  # characters of such a name before it is broken
_TOLD = 40  # bars, up to which each says its number
_NUMBERED = 12  # columns of a heat map, up to which cells say their numbers

# Beyond 1 the axis is logarithmic: places are moved there before, and this tells the value again. No text of users.
_UNSCALED = "place => String(Number((place <= 1 ? place : Math.pow(10, place - 1)).toPrecision(3)))"

Options = dict[str, Any]


def options(chart: Chart) -> Options:
    """What ECharts draws of a chart; the title is left to the page."""
    return {"bars": _bars, "heat": _heat}.get(chart.kind, _plane)(chart)


def height_of(chart: Chart) -> int:
    """Pixels that a chart needs."""
    if chart.kind == "bars":
        bars = max(sum(_mark(chart, name) == "bars" for name in chart.series), 1)
        lines = max((math.ceil(len(place_told(place)) / _LINE) for place in chart.x), default=1)
        return 40 + len(chart.x) * max(26, 6 + 15 * bars, 4 + 15 * min(lines, 3)) + _legend_height(chart)
    if chart.kind == "heat":
        return 150 + max(120, min(26 * len(chart.series), 640))
    return 320 + _legend_height(chart)


def value_told(chart: Chart, value: float | None) -> str:
    """A value of a series in words."""
    if value is None:
        return "not defined"
    return share(value) if chart.percent else f"{value:,.4g}"


def place_told(place: str | float | None) -> str:
    """A place on the axis in words."""
    if place is None:
        return "–"
    return visible(place) if isinstance(place, str) else f"{place:,.6g}"


def _bars(chart: Chart) -> Options:
    """Bars that lie, so that names of any length stand beside them."""
    among = sum(_mark(chart, name) == "bars" for name in chart.series)
    told = among * len(chart.x) <= _TOLD
    series, number = [], 0
    for name, values in chart.series.items():
        if _mark(chart, name) == "bars":
            colour = COLOURS[1] if among == 1 else _PALETTE[number % len(_PALETTE)]
            series.append(_bar(chart, name, values, colour, told=told))
            number += 1
        else:
            series.append(_crossing(chart, name, values))
    return {
        **_common(chart, top=8 + _legend_height(chart), right=64),
        "xAxis": _number_axis(chart, percent=chart.percent),
        "yAxis": _name_axis([place_told(place) for place in chart.x], inverse=True),
        "series": series,
    }


def _bar(chart: Chart, name: str, values: tuple[float | None, ...], colour: str, *, told: bool) -> Options:
    data = [
        {"value": _scaled(chart, value), "label": {"formatter": _literal(value_told(chart, value))}} for value in values
    ]
    label = {"show": told, "position": "right", "color": INK, "fontSize": 11}
    return {
        "type": "bar",
        "name": visible(name),
        "data": data,
        "barMaxWidth": 16,
        "itemStyle": {"color": colour},
        "label": label,
    }


def _crossing(chart: Chart, name: str, values: tuple[float | None, ...]) -> Options:
    """A mark across each bar, such as its limit."""
    data = [[_scaled(chart, value), row] for row, value in enumerate(values) if value is not None]
    mark = {"type": "scatter", "symbol": "rect", "symbolSize": [4, 24], "itemStyle": {"color": LIMIT}, "z": 4}
    return {**mark, "name": visible(name), "data": data}


def _plane(chart: Chart) -> Options:
    """Points and lines over a horizontal axis."""
    words = any(isinstance(place, str) for place in chart.x)
    x: list[Any] = [number if words else _moved(chart, place) for number, place in enumerate(chart.x)]
    series = [
        _drawn(chart, name, [[a, _scaled(chart, b)] for a, b in zip(x, values, strict=True) if b is not None], number)
        for number, (name, values) in enumerate(chart.series.items())
    ]
    lines = [
        {"xAxis": _moved(chart, place), "name": visible(name), "label": {"formatter": _literal(name)}}
        for name, place in chart.rules.items()
    ]
    if series and lines:
        style = {"color": LIMIT, "type": "dashed", "width": 1.5}
        label = {"color": INK, "position": "insideEndTop"}
        series[0]["markLine"] = {
            "symbol": "none",
            "silent": True,
            "lineStyle": style,
            "label": label,
            "data": lines,
        }
    below = any(value is not None and value < 0 for values in chart.series.values() for value in values)
    return {
        **_common(chart, top=16 + _legend_height(chart)),
        "xAxis": _name_axis([place_told(place) for place in chart.x]) if words else _place_axis(chart, x),
        "yAxis": _number_axis(chart, percent=chart.percent) | {"scale": below},
        "series": series,
    }


def _drawn(chart: Chart, name: str, data: list[Any], number: int) -> Options:
    colour, mark = _PALETTE[number % len(_PALETTE)], _mark(chart, name)
    common = {"name": visible(name), "data": data}
    if mark == "points":
        symbol = _SYMBOLS[MARKERS[number % len(MARKERS)]]
        return {**common, "type": "scatter", "symbol": symbol, "symbolSize": 11, "itemStyle": {"color": colour}}
    if mark == "star":
        style = {"color": LIMIT, "borderColor": INK, "borderWidth": 1}
        return {**common, "type": "scatter", "symbol": _STAR, "symbolSize": 22, "itemStyle": style, "z": 5}
    dashes = ("solid", "dashed", "dotted")[number % 3]
    line = {**common, "type": "line", "symbolSize": 7, "showSymbol": len(data) <= 20}
    if mark == "steps":
        style = {"color": INK, "width": 1.3}
        return {**line, "step": "start", "lineStyle": style, "itemStyle": {"color": INK}}
    return {**line, "lineStyle": {"color": colour, "type": dashes, "width": 2}, "itemStyle": {"color": colour}}


def _heat(chart: Chart) -> Options:
    rows, is_told = list(chart.series), len(chart.x) <= _NUMBERED
    data: list[Any] = [
        [column, row, cell]
        for row, name in enumerate(rows)
        for column, cell in enumerate(chart.series[name])
        if cell is not None
    ]
    if is_told:
        data = [{"value": one, "label": {"color": "#ffffff" if abs(one[2]) > 0.6 else "#1f2933"}} for one in data]
    scale = {
        "min": -1,
        "max": 1,
        "calculable": False,
        "orient": "horizontal",
        "left": "center",
        "bottom": 0,
        "inRange": {"color": list(_DIVERGING)},
        "text": ["1", "-1"],
        "textStyle": {"color": INK},
    }
    columns = _name_axis([place_told(place) for place in chart.x])
    columns["axisLabel"] |= {"rotate": 90 if len(chart.x) > 6 else 0, "width": 90}
    return {
        **_common(chart, top=8, bottom=56),
        "visualMap": scale,
        "xAxis": columns,
        "yAxis": _name_axis(list(map(visible, rows)), inverse=True),
        "series": [
            {
                "type": "heatmap",
                "name": visible(chart.title),
                "data": data,
                "label": {"show": is_told},
                "itemStyle": {"borderColor": _FAINT, "borderWidth": 1},
            }
        ],
    }


def _common(chart: Chart, top: int, bottom: int = 8, right: int = 24) -> Options:
    return {
        "animation": False,
        "textStyle": {"color": INK, "fontFamily": _FONT},
        "color": list(_PALETTE),
        # Rich text is drawn, so that no name of a column is ever read as HTML.
        "tooltip": {"trigger": "item", "renderMode": "richText", "confine": True},
        "legend": {
            "show": _has_legend(chart),
            "top": 0,
            "left": 0,
            "orient": "vertical" if _is_wide(chart) else "horizontal",
            "textStyle": {"color": INK},
        },
        "grid": {"left": 20, "right": right, "top": top, "bottom": bottom, "containLabel": True},
    }


def _number_axis(chart: Chart, *, percent: bool) -> Options:
    values = [value for values in chart.series.values() for value in values if value is not None]
    whole = not percent and all(float(value).is_integer() for value in values)
    return {
        "type": "value",
        "minInterval": 1 if whole else 0,
        "axisLabel": {"color": INK, "hideOverlap": True, **({"formatter": "{value} %"} if percent else {})},
        "splitLine": {"lineStyle": {"color": _FAINT}},
    }


def _place_axis(chart: Chart, x: list[Any]) -> Options:
    """The horizontal axis of numbers."""
    axis = _number_axis(chart, percent=False) | {"minInterval": 0}
    if chart.x_scale == "log":
        largest = max([*x, 1.0])
        places = [0, 0.5, 1.0, *(math.log10(n) + 1 for n in (2, 5, 10, 20, 50, 100, 1000, 10_000))]
        shown = [place for place in places if place <= largest + 0.35]
        axis |= {"min": 0, "max": shown[-1] if shown[-1] >= largest else math.ceil(largest)}
        axis["axisLabel"] |= {"customValues": shown, ":formatter": _UNSCALED}
        axis["axisTick"] = {"customValues": shown}
        axis["splitLine"] = {"show": False}
    elif min(x, default=0) > 0 and max(x) > 4 * (max(x) - min(x)):
        axis["scale"] = True
    return axis


def _name_axis(names: list[str], *, inverse: bool = False) -> Options:
    long = any(len(name) > _LINE for name in names)
    broken: Options = {"width": _LABEL, "overflow": "break", "lineHeight": 14} if long else {}
    label = {"color": INK, **broken, "interval": 0 if len(names) <= 70 else "auto"}
    line = {"lineStyle": {"color": _FAINT}}
    return {
        "type": "category",
        "data": [shorten(name, 60, placeholder=" …") if " " in name else _cut(name, 60) for name in names],
        "inverse": inverse,
        "axisLabel": label,
        "axisLine": line,
        "axisTick": {"show": False},
    }


def _scaled(chart: Chart, value: float | None) -> float | None:
    """A share as percent, rounded to what is shown."""
    if value is None:
        return None
    return round(100 * value, 3) if chart.percent else value


def _moved(chart: Chart, place: Any) -> float:
    number = 0.0 if place is None else float(place)
    return 1 + math.log10(number) if chart.x_scale == "log" and number > 1 else number


def _literal(text: str) -> str:
    """A text in which ECharts finds no place holder."""
    return visible(text).replace("{", "(").replace("}", ")")


def _has_legend(chart: Chart) -> bool:
    return chart.kind != "heat" and len(chart.series) > 1


def _is_wide(chart: Chart) -> bool:
    """Whether the names of the series do not fit beside each other."""
    return sum(len(name) + 6 for name in chart.series) > 56


def _legend_height(chart: Chart) -> int:
    if not _has_legend(chart):
        return 0
    return 12 + 23 * len(chart.series) if _is_wide(chart) else 30


def _mark(chart: Chart, name: str) -> str:
    return chart.drawn.get(name, chart.kind)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


_STAR = "path://M0,-10 L2.9,-3.1 L10,-3.1 L4.3,1.4 L6.2,8.5 L0,4.3 L-6.2,8.5 L-4.3,1.4 L-10,-3.1 L-2.9,-3.1 Z"
