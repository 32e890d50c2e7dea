"""One chart on one part of a matplotlib figure: colours that everybody can tell apart, legends beside the points."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from textwrap import shorten, wrap
from typing import Any

from ammg.charts.chart import Chart, Mark

INK, MUTED, LIMIT = "#1f2933", "#5f6b76", "#d55e00"
COLOURS = ("#e69f00", "#0072b2", "#009e73", "#cc79a7", "#56b4e9", "#000000")
"""Colours of Okabe and Ito (2008), which differ for people with colour blindness, and in lightness in print."""
MARKERS = ("o", "s", "^", "D", "v", "P")

LINE = 0.165
"""Inches of a line of text."""
_LABEL = 28  # characters of a label before it is broken
CELL = 0.34
"""Inches that a cell of a heat map needs to hold its number."""
TOLD = 40
"""Bars, up to which each says its number."""
NAMED = 70
"""Rows of a heat map, up to which each has its name."""
_LARGE = 10_000  # from here on numbers get commas; years stay years


def draw_on(figure: Any, chart: Chart, width: float) -> None:
    """Draw a chart that is `width` inches wide."""
    axes = figure.subplots()
    figure.suptitle(wrapped(chart.title, int(width * 12)), x=0.01, ha="left", size=9.5, weight="bold", color=INK)
    if chart.kind == "heat":
        _heat(figure, axes, chart, numbered=len(chart.x) * CELL < width - 1.8)
    else:
        (_bars if chart.kind == "bars" else _plane)(figure, axes, chart)
    axes.tick_params(colors=MUTED, labelcolor=INK, labelsize=8)
    axes.xaxis.label.set_color(INK)
    axes.yaxis.label.set_color(INK)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(MUTED)


def height_of(chart: Chart, width: float) -> float:
    """Inches that a chart of this width needs."""
    title = LINE * len(wrap(chart.title, int(width * 12)) or [""])
    if chart.kind == "bars":
        bars = sum(mark_of(chart, name) == "bars" for name in chart.series)
        rows = sum(max(0.05 + 0.13 * bars, LINE * (1 + label.count("\n"))) for label in labels_of(chart)) * 1.16
        return title + rows + 0.55 + (0.25 if len(chart.series) > 1 else 0)
    if chart.kind == "heat":
        return title + min(width, 1.7 + max(0.16 * len(chart.x), min(0.3 * len(chart.x), 2.5)))
    return title + 3.4


def _bars(figure: Any, axes: Any, chart: Chart) -> None:
    """Bars that lie, so that names of any length stand beside them."""
    bars = [name for name in chart.series if mark_of(chart, name) == "bars"]
    thick = 0.8 / max(len(bars), 1)
    for number, name in enumerate(bars):
        places = [row + (number - (len(bars) - 1) / 2) * thick for row in range(len(chart.x))]
        values = [value or 0.0 for value in chart.series[name]]
        axes.barh(places, values, height=thick * 0.92, color=colour_of(number, len(bars)), label=name)
        if chart.percent and len(chart.x) * len(bars) <= TOLD:
            _tell(axes, chart, chart.series[name], places)
    for name in chart.series:
        if name not in bars:
            known = [(value, row) for row, value in enumerate(chart.series[name]) if value is not None]
            rows = [row for _, row in known]
            ends = [row - 0.44 for row in rows], [row + 0.44 for row in rows]
            axes.vlines([value for value, _ in known], *ends, colors=LIMIT, lw=2.4, label=name, zorder=3)
    axes.set_yticks(range(len(chart.x)), labels_of(chart))
    axes.set_ylim(len(chart.x) - 0.4, -0.6)
    axes.margins(x=0.12)
    axes.set_xlim(left=0)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(chart.y_label or chart.x_label, size=8)
    _format(axes.xaxis, percent=chart.percent)
    _legend(figure, chart)


def _tell(axes: Any, chart: Chart, values: Sequence[float | None], places: Sequence[float]) -> None:
    """The numbers beside their bars, beyond a mark that would stand in their place."""
    others = [values for name, values in chart.series.items() if mark_of(chart, name) != "bars"]
    widest = max((value or 0.0 for values in chart.series.values() for value in values), default=0.0)
    for row, (value, place) in enumerate(zip(values, places, strict=True)):
        end = value or 0.0
        near = [mark for marks in others if (mark := marks[row]) is not None and 0 <= mark - end < 0.1 * widest]
        told = "not defined" if value is None else share(value)
        at = (max([end, *near]), place)
        axes.annotate(told, at, (4, 0), textcoords="offset points", va="center", size=7, color=INK)


def _plane(figure: Any, axes: Any, chart: Chart) -> None:
    """Points and lines over a horizontal axis."""
    words = any(isinstance(place, str) for place in chart.x)
    x: list[float] = [float(n) if words else float(place or 0) for n, place in enumerate(chart.x)]
    for number, name in enumerate(chart.series):
        known = [(a, b) for a, b in zip(x, chart.series[name], strict=True) if b is not None]
        _series(mark_of(chart, name))(axes, [a for a, _ in known], [b for _, b in known], number, name)
    for number, label in enumerate(chart.labels):
        heights = [values[number] for values in chart.series.values() if values[number] is not None]
        if label and heights:
            at = (x[number], heights[0])
            axes.annotate(label, at, (3, 3), textcoords="offset points", size=6.5, color=INK, zorder=5)
    for name, place in chart.rules.items():
        axes.axvline(place, color=LIMIT, lw=1.2, ls=(0, (4, 2)), label=name, zorder=1)
    if words:
        axes.set_xticks(x, labels_of(chart), rotation=90 if len(x) > 6 else 0)
    elif chart.x_scale == "log":
        axes.set_xscale("symlog", linthresh=1)
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_xlim(left=0)
    elif max(map(abs, x), default=0) >= _LARGE:
        axes.locator_params(axis="x", nbins=4)  # long numbers need room
        _format(axes.xaxis, percent=False)
    axes.margins(y=0.08)
    if all(value is None or value >= 0 for values in chart.series.values() for value in values):
        axes.set_ylim(bottom=0)
    axes.set_xlabel(wrapped(chart.x_label, 80), size=8)
    axes.set_ylabel(wrapped(chart.y_label, 40), size=8)
    _format(axes.yaxis, percent=chart.percent)
    _legend(figure, chart)


def _series(mark: Mark) -> Callable[[Any, Sequence[float], Sequence[float], int, str], Any]:
    return {"points": _points, "star": _star, "steps": _steps}.get(mark, _line)


def _points(axes: Any, x: Sequence[float], y: Sequence[float], number: int, name: str) -> None:
    marker, colour = MARKERS[number % len(MARKERS)], COLOURS[number % len(COLOURS)]
    axes.scatter(x, y, s=26, marker=marker, c=colour, edgecolors="white", lw=0.5, label=name, clip_on=False)


def _star(axes: Any, x: Sequence[float], y: Sequence[float], number: int, name: str) -> None:
    axes.scatter(x, y, s=190, marker="*", c=LIMIT, edgecolors=INK, lw=0.8, label=name, zorder=4, clip_on=False)


def _steps(axes: Any, x: Sequence[float], y: Sequence[float], number: int, name: str) -> None:
    axes.step(x, y, where="pre", c=INK, lw=1.1, label=name, zorder=1)


def _line(axes: Any, x: Sequence[float], y: Sequence[float], number: int, name: str) -> None:
    marker = MARKERS[number % len(MARKERS)] if len(x) <= 20 else None
    style = ("-", "--", "-.", ":")[number % 4]
    axes.plot(x, y, c=COLOURS[(number + 1) % len(COLOURS)], ls=style, marker=marker, ms=4, lw=1.6, label=name)


def _heat(figure: Any, axes: Any, chart: Chart, *, numbered: bool) -> None:
    rows = list(chart.series)
    values = [[float("nan") if cell is None else cell for cell in chart.series[row]] for row in rows]
    image = axes.imshow(values, cmap="RdBu_r", vmin=-1, vmax=1, interpolation="none", aspect="auto")
    axes.set_facecolor("#e5e7ea")  # what is not known
    small = 8 if len(rows) <= 24 else 5.5
    if len(rows) <= NAMED:
        axes.set_xticks(range(len(chart.x)), [short(str(place)) for place in chart.x], rotation=90)
        axes.set_yticks(range(len(rows)), [short(row) for row in rows])
    if numbered:
        for row, cells in enumerate(values):
            for column, cell in enumerate(cells):
                dark = abs(cell) > 0.6
                told = "–" if cell != cell else f"{cell:.2f}"
                axes.text(column, row, told, ha="center", va="center", size=7, color="white" if dark else INK)
    figure.colorbar(image, ax=axes, fraction=0.05, pad=0.02).ax.tick_params(labelsize=7)
    axes.tick_params(length=0)
    for label in (*axes.get_xticklabels(), *axes.get_yticklabels()):
        label.set_size(small)


def share(value: float) -> str:
    """A share as a percentage, with two digits where it is small; what is not zero is not shown as zero."""
    percent = 100 * value
    if 0 < percent < 0.05:
        return "<\u00a00.1\u00a0%"
    return f"{percent:.0f}\u00a0%" if percent >= 9.95 or percent == 0 else f"{percent:.1f}\u00a0%"


def _format(axis: Any, *, percent: bool) -> None:
    if percent:
        axis.set_major_formatter(lambda value, _: f"{100 * value:.4g} %")
    else:
        axis.set_major_formatter(lambda value, _: f"{value:,.10g}")


def _legend(figure: Any, chart: Chart) -> None:
    """Below the axes, where it hides nothing; a single series needs none."""
    if len(chart.series) + len(chart.rules) > 1:
        figure.legend(loc="outside lower left", ncols=3, frameon=False, fontsize=8, handlelength=1.4, columnspacing=1.2)


def mark_of(chart: Chart, name: str) -> Mark:
    """How a series is drawn."""
    kind: Any = chart.drawn.get(name, chart.kind)
    return kind  # type: ignore[no-any-return]


def colour_of(number: int, among: int) -> str:
    """The colour of one of several series."""
    return COLOURS[1] if among == 1 else COLOURS[number % len(COLOURS)]


def labels_of(chart: Chart) -> list[str]:
    """The names of the places, broken into lines."""
    return [wrapped("–" if place is None else _told(place), _LABEL) for place in chart.x]


def _told(place: str | float) -> str:
    return place if isinstance(place, str) else f"{place:,.10g}"


def short(text: str) -> str:
    """A name, cut where it is long."""
    clean = visible(text)
    return clean if len(clean) <= 22 else f"{clean[:21]}…"


def wrapped(text: str, width: int) -> str:
    """A text broken into lines of so many characters; of a very long one the beginning."""
    text = shorten(visible(text), 4 * width, placeholder=" …")
    return "\n".join(wrap(text, width)) or text


def visible(text: str) -> str:
    """A text without control characters, which no page and no picture may hold."""
    return _CONTROL.sub("\ufffd", text)


_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
