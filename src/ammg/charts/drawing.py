"""Charts as pictures, for a notebook, a file or a page: drawn with matplotlib, but for bars and heat maps in a page."""

from __future__ import annotations

import html
import io
import json
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from ammg.charts.axes import draw_on, height_of, visible
from ammg.charts.bars import bars_svg
from ammg.charts.chart import Chart
from ammg.charts.heat import heat_svg

WIDE, NARROW, WIDEST = 5.6, 3.4, 7.2
"""Inches of a chart on its own, of one among several beside each other, and of a map of many attributes."""

_WRITTEN: dict[str, Callable[[Chart, float], str]] = {"bars": bars_svg, "heat": heat_svg}


class Drawing:
    """One or more charts as a picture. A notebook shows it; `svg` and `to_bytes` give it to whoever writes it."""

    def __init__(self, charts: Chart | Iterable[Chart], *, columns: int = 1, width: float | None = None) -> None:
        self.charts = (charts,) if isinstance(charts, Chart) else tuple(charts)
        self.columns = max(1, min(columns, len(self.charts)))
        alone = max((_alone(chart) for chart in self.charts), default=WIDE)
        self.width = width or (alone if self.columns == 1 else NARROW * self.columns)

    @property
    def svg(self) -> str:
        """The picture as an `<svg>` element that needs nothing else: no font, no script, no link, no date."""
        return _svg(json.dumps([chart.to_dict() for chart in self.charts]), self.columns, self.width)

    def to_bytes(self, form: str) -> bytes:
        """The picture as the bytes of an SVG, PNG or PDF file."""
        buffer = io.BytesIO()
        metadata = {"svg": {"Date": None, "Creator": None}, "pdf": {"CreationDate": None}}.get(form)
        with _style():
            self._figure().savefig(buffer, format=form, metadata=metadata, dpi=144)
        return buffer.getvalue()

    @property
    def _titles(self) -> str:
        return "; ".join(chart.title for chart in self.charts)

    def _figure(self) -> Any:
        from matplotlib.figure import Figure

        rows = [self.charts[start : start + self.columns] for start in range(0, len(self.charts), self.columns)]
        inner = self.width / self.columns
        heights = [max(height_of(chart, inner) for chart in row) for row in rows]
        figure = Figure(figsize=(self.width, sum(heights) or 1.0), layout="constrained")
        if len(self.charts) == 1:
            draw_on(figure, self.charts[0], inner)
        if len(self.charts) <= 1:
            return figure
        parts = figure.subfigures(len(rows), 1, height_ratios=heights, squeeze=False)[:, 0]
        for part, row in zip(parts, rows, strict=True):
            places = part.subfigures(1, self.columns, squeeze=False)[0]
            for place, chart in zip(places, row, strict=False):
                draw_on(place, chart, inner)
        return figure

    def _repr_html_(self) -> str:
        return f"<div>{self.svg}</div>"

    def __repr__(self) -> str:
        return f"Drawing({self._titles})"


@lru_cache(maxsize=64)
def _svg(charts: str, columns: int, width: float) -> str:
    """The element of charts as JSON: both versions of a report show the same ones, and drawing is most of the work."""
    drawing = Drawing(map(Chart.from_dict, json.loads(charts)), columns=columns, width=width)
    if len(drawing.charts) == 1 and drawing.charts[0].kind in _WRITTEN:
        text = _WRITTEN[drawing.charts[0].kind](drawing.charts[0], drawing.width)
    else:
        text = drawing.to_bytes("svg").decode("utf-8")
        text = text[text.index("<svg") :]
        text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
        text = re.sub(r'<g id="[^"]*">', "<g>", text)  # a page holds several pictures, and an id only once
    return text.replace("<svg ", f'<svg role="img" aria-label="{_quoted(drawing._titles)}" ', 1)


def _alone(chart: Chart) -> float:
    """The width of a chart that stands by itself: on a telephone its text is not much smaller than that around it."""
    return min(WIDEST, max(WIDE, 1.7 + 0.16 * len(chart.x))) if chart.kind == "heat" else WIDE


@contextmanager
def _style() -> Iterator[None]:
    import matplotlib as mpl

    wanted: Any = {
        "svg.hashsalt": "ammg",
        "svg.fonttype": "none",  # text stays text: it can be searched, read aloud and copied
        "text.parse_math": False,  # a dollar sign in a name is a dollar sign
        "font.family": ["DejaVu Sans"],
        "font.size": 9,
        "axes.titlesize": 9,
    }
    with mpl.rc_context(wanted), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")  # the reader's font may have it
        warnings.filterwarnings("ignore", message="constrained_layout not applied")
        yield


def _quoted(text: str) -> str:
    return html.escape(" ".join(visible(text).split()))
