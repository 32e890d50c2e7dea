"""Figures 1 to 10: a measure over all masked versions of a file, all records in black and outliers in grey."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ammg.io.atomic import atomic
from ammg.reproduce._mateo_sanz_claims import FAMILIES, Curve, Curves

INK, GREY = "#1f2933", "#9aa5b1"


def draw(curves: Curves, folder: Path) -> Path:
    """Write one SVG a figure into the folder, numbered as in the paper."""
    folder.mkdir(parents=True, exist_ok=True)
    measures = list(dict.fromkeys(measure for _, measure in curves))
    for (name, measure), curve in curves.items():
        number = 2 * measures.index(measure) + 1 + (name != "CENSUS")
        _draw(curve, f"Figure {number}: {measure}, {name}", folder / f"figure_{number:02d}_{measure}_{name}.svg")
    return folder


def _draw(curve: Curve, title: str, path: Path) -> None:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "ammg", "font.size": 9}):
        figure = Figure(figsize=(9.6, 3.6), layout="constrained")
        axes = figure.subplots()
        place = np.arange(len(curve.family))
        for family in FAMILIES:
            mine = np.array(curve.family) == family
            first = place[mine][0]
            for values, colour, label in ((curve.whole, INK, "all records"), (curve.outliers, GREY, "outliers")):
                named = label if first == 0 else None
                axes.plot(place[mine], values[mine], c=colour, lw=1.4, marker=".", label=named)
            if first:
                axes.axvline(first - 0.5, c=GREY, lw=0.5)
        labels = [f"{family}{value:g}" for family, value in zip(curve.family, curve.parameter, strict=True)]
        axes.set_xticks(place, labels, rotation=90, fontsize=6)
        axes.set_ylim(bottom=0)
        axes.set_title(title, loc="left")
        axes.legend(frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
        with atomic(path) as temporary:
            figure.savefig(temporary, format="svg", metadata={"Date": None})
