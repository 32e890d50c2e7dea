"""Pieces of an `<svg>` element, in points."""

from __future__ import annotations

import html
from collections.abc import Sequence

from ammg.charts.axes import INK, visible

INCH = 72.0
LETTER = 0.62
"""The mean width of a letter, in sizes of its font."""
_FONT = "'DejaVu Sans', Verdana, sans-serif"


def element(width: float, height: float) -> str:
    """The start of an element with a white ground; whoever writes it closes it."""
    size = f'width="{width:g}pt" height="{height:.2f}pt" viewBox="0 0 {width:g} {height:.2f}"'
    start = f'<svg xmlns="http://www.w3.org/2000/svg" version="1.1" {size} font-family="{_FONT}" fill="{INK}">'
    return f'{start}<rect width="{width:g}" height="{height:.2f}" fill="#ffffff"/>'


def text(
    x: float,
    y: float,
    lines: Sequence[str],
    *,
    size: float = 8,
    anchor: str = "start",
    weight: str = "",
    colour: str = "",
    turned: bool = False,
) -> str:
    """Lines of text, one below the other; `turned` text is read from below."""
    more = f' font-weight="{weight}"' if weight else ""
    more += f' fill="{colour}"' if colour else ""
    more += f' transform="rotate(-90 {x:.2f} {y:.2f})"' if turned else ""
    shown = [html.escape(visible(part)) for part in lines]
    if len(shown) > 1:
        steps = [0.0, *[1.18 * size] * (len(shown) - 1)]
        shown = [f'<tspan x="{x:.2f}" dy="{dy:.2f}">{part}</tspan>' for dy, part in zip(steps, shown, strict=True)]
    return f'<text x="{x:.2f}" y="{y:.2f}" font-size="{size:g}" text-anchor="{anchor}"{more}>{"".join(shown)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, colour: str, thick: float) -> str:
    """A straight line."""
    place = f'x1="{x1:.2f}" y1="{y1:.2f}" x2="{x2:.2f}" y2="{y2:.2f}"'
    return f'<line {place} stroke="{colour}" stroke-width="{thick:g}"/>'
