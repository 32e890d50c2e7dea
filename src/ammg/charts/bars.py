"""Bars as an `<svg>` element, written directly: a report has dozens of them, and matplotlib takes a tenth of a second
for each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ammg.charts.axes import (
    LIMIT,
    LINE,
    MUTED,
    TOLD,
    colour_of,
    height_of,
    labels_of,
    mark_of,
    share,
    wrapped,
)
from ammg.charts.chart import Chart
from ammg.charts.elements import INCH, LETTER, element, line, text

_ROOM = 1.12  # of the longest bar, so that its number finds a place
_TICKS = 6


def bars_svg(chart: Chart, width: float) -> str:
    """A chart of lying bars that is `width` inches wide."""
    return "".join(_Bars(chart, width).parts())


class _Bars:
    """Where things are, in points."""

    def __init__(self, chart: Chart, width: float) -> None:
        self.chart, self.labels = chart, labels_of(chart)
        self.names = [name for name in chart.series if mark_of(chart, name) == "bars"]
        self.title = wrapped(chart.title, int(width * 12)).split("\n")
        self.width, self.height = width * INCH, height_of(chart, width) * INCH
        longest = max((len(part) for label in self.labels for part in label.split("\n")), default=0)
        self.left = min(0.5 * self.width, 8 * LETTER * longest + 10)
        self.right = self.width - 14
        self.top = LINE * INCH * len(self.title) + 6
        self.bottom = self.height - 32 - (16 if len(chart.series) > 1 else 0)
        self.most = max((value or 0.0 for values in chart.series.values() for value in values), default=0.0)
        self.scale = (self.right - self.left) / (_ROOM * self.most or 1.0)
        self.row = (self.bottom - self.top) / max(len(chart.x), 1)

    def parts(self) -> Iterator[str]:
        """The element, piece by piece."""
        yield element(self.width, self.height)
        yield text(4, 11, self.title, size=9.5, weight="bold")
        yield from self._axis()
        for number, name in enumerate(self.names):
            yield from self._series(number, self.chart.series[name])
        for name, values in self.chart.series.items():
            if name not in self.names:
                yield from self._marks(values)
        for row, label in enumerate(self.labels):
            lines = label.split("\n")
            yield text(self.left - 5, self._middle(row) - 4.7 * (len(lines) - 1) + 2.8, lines, anchor="end")
        yield line(self.left, self.top, self.left, self.bottom, MUTED, 0.8)
        yield from self._legend()
        yield "</svg>"

    def _middle(self, row: float) -> float:
        return self.top + (row + 0.5) * self.row

    def _axis(self) -> Iterator[str]:
        yield line(self.left, self.bottom, self.right, self.bottom, MUTED, 0.8)
        widest = 8 * LETTER * len(self._number(_ticks(_ROOM * self.most, 1)[-1])) + 14
        for tick in _ticks(_ROOM * self.most, min(_TICKS, max(1, int((self.right - self.left) / widest)))):
            x = self.left + tick * self.scale
            told = self._number(tick)
            yield line(x, self.bottom, x, self.bottom + 3, MUTED, 0.8)
            yield text(x, self.bottom + 12, [told], anchor="middle")
        title = wrapped(self.chart.y_label or self.chart.x_label, 80)
        yield text((self.left + self.right) / 2, self.bottom + 25, title.split("\n")[:1], anchor="middle")

    def _number(self, value: float) -> str:
        return f"{100 * value:.4g} %" if self.chart.percent else f"{value:,.10g}"

    def _series(self, number: int, values: Sequence[float | None]) -> Iterator[str]:
        thick = 0.8 / len(self.names)
        told = self.chart.percent and len(self.chart.x) * len(self.names) <= TOLD
        colour = colour_of(number, len(self.names))
        for row, value in enumerate(values):
            middle = self._middle(row + (number - (len(self.names) - 1) / 2) * thick)
            long, high = max(value or 0.0, 0.0) * self.scale, thick * 0.92 * self.row
            if long:
                place = f'x="{self.left:.2f}" y="{middle - high / 2:.2f}" width="{long:.2f}" height="{high:.2f}"'
                yield f'<rect {place} fill="{colour}"/>'
            if told:
                at = self.left + max(value or 0.0, *self._near(row, value or 0.0), 0.0) * self.scale + 4
                yield text(at, middle + 2.4, ["not defined" if value is None else share(value)], size=7)

    def _near(self, row: int, end: float) -> list[float]:
        """Marks that would stand where a bar's number belongs."""
        marks = [values[row] for name, values in self.chart.series.items() if name not in self.names]
        return [mark for mark in marks if mark is not None and 0 <= mark - end < 0.1 * self.most] + [0.0]

    def _marks(self, values: Sequence[float | None]) -> Iterator[str]:
        for row, value in enumerate(values):
            if value is not None:
                x = self.left + value * self.scale
                yield line(x, self._middle(row - 0.44), x, self._middle(row + 0.44), LIMIT, 2.4)

    def _legend(self) -> Iterator[str]:
        if len(self.chart.series) < 2:
            return
        x = 6.0
        for name in self.chart.series:
            is_bar = name in self.names
            colour = colour_of(self.names.index(name), len(self.names)) if is_bar else LIMIT
            wide = 11 if is_bar else 2.4
            yield f'<rect x="{x:.2f}" y="{self.height - 12:.2f}" width="{wide}" height="7" fill="{colour}"/>'
            yield text(x + wide + 4, self.height - 5.5, [name])
            x += wide + 4 + 8 * LETTER * len(name) + 12


def _ticks(most: float, count: int) -> list[float]:
    """Round numbers from zero up to `most`, about `count` of them beside the zero."""
    if not most > 0 or not math.isfinite(most):
        return [0.0]
    rough = most / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(step for step in (1 * power, 2 * power, 2.5 * power, 5 * power, 10 * power) if step >= rough * 0.999)
    return [round(number * step, 12) for number in range(int(most / step) + 1)]
