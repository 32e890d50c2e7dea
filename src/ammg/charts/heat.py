"""A heat map as an `<svg>` element, written directly, like bars."""

from __future__ import annotations

from collections.abc import Iterator

from ammg.charts.axes import CELL, INK, LINE, NAMED, height_of, short, wrapped
from ammg.charts.chart import Chart
from ammg.charts.elements import INCH, LETTER, element, line, text

_ANCHORS = ((5, 48, 97), (67, 147, 195), (209, 229, 240), (247, 247, 247), (253, 219, 199), (214, 96, 77), (103, 0, 31))
"""From -1 to 1: the colours RdBu of Brewer (2003), blue for negative values."""
_UNKNOWN = "#e5e7ea"
_DARK = 0.6  # from here on numbers are white
_KEY = 40  # points for the key at the right


def heat_svg(chart: Chart, width: float) -> str:
    """Values from -1 to 1 in rows and columns, `width` inches wide."""
    return "".join(_parts(chart, width))


def _parts(chart: Chart, width: float) -> Iterator[str]:
    rows, columns = list(chart.series), [short(str(place)) for place in chart.x]
    wide, high = width * INCH, height_of(chart, width) * INCH
    named = len(rows) <= NAMED
    size = 8 if len(rows) <= 24 else 5.5
    label = size * LETTER * max((len(name) for name in (*map(short, rows), *columns)), default=0) + 8 if named else 8
    title = wrapped(chart.title, int(width * 12)).split("\n")
    top, left = LINE * INCH * len(title) + 6, min(label, wide / 3)
    right, bottom = wide - _KEY, high - min(label, high / 3)
    across, down = (right - left) / max(len(columns), 1), (bottom - top) / max(len(rows), 1)
    yield element(wide, high)
    yield text(4, 11, title, size=9.5, weight="bold")
    for number, name in enumerate(rows):
        y = top + number * down
        for place, value in enumerate(chart.series[name]):
            x = left + place * across
            yield f'<rect x="{x:.2f}" y="{y:.2f}" width="{across:.2f}" height="{down:.2f}" fill="{_colour(value)}"/>'
            if len(columns) * CELL < width - 1.8:
                told = "–" if value is None else f"{value:.2f}"
                colour = "#ffffff" if value is not None and abs(value) > _DARK else INK
                yield text(x + across / 2, y + down / 2 + 2.5, [told], size=7, anchor="middle", colour=colour)
        if named:
            yield text(left - 4, y + down / 2 + 0.35 * size, [short(name)], size=size, anchor="end")
    for place, name in enumerate(columns if named else ()):
        x = left + (place + 0.5) * across + 0.35 * size
        yield text(x, bottom + 5, [name], size=size, anchor="end", turned=True)
    yield from _key(right + 10, top, bottom)
    yield "</svg>"


def _key(x: float, top: float, bottom: float) -> Iterator[str]:
    steps = 40
    for step in range(steps):
        value = 1 - 2 * (step + 0.5) / steps
        y = top + step * (bottom - top) / steps
        high = (bottom - top) / steps + 0.3  # no gap between two steps
        yield f'<rect x="{x:.2f}" y="{y:.2f}" width="7" height="{high:.2f}" fill="{_colour(value)}"/>'
    for value in (1.0, 0.5, 0.0, -0.5, -1.0):
        y = top + (1 - value) / 2 * (bottom - top)
        yield line(x + 7, y, x + 9, y, INK, 0.6)
        yield text(x + 11, y + 2.4, [f"{value:g}".replace("-", "−")], size=7)


def _colour(value: float | None) -> str:
    if value is None:
        return _UNKNOWN
    place = (min(max(value, -1.0), 1.0) + 1) / 2 * (len(_ANCHORS) - 1)
    before = min(int(place), len(_ANCHORS) - 2)
    mix = [a + (b - a) * (place - before) for a, b in zip(_ANCHORS[before], _ANCHORS[before + 1], strict=True)]
    return "#" + "".join(f"{round(part):02x}" for part in mix)
