"""The R-U map of a comparison: risk against loss, one point per file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ammg.errors import InputError
from ammg.io.atomic import atomic

if TYPE_CHECKING:
    from ammg.pipeline.comparison import Comparison

INK, FILE = "#1f2933", "#2f6f9f"


def draw(comparison: Comparison, path: Path, risk: str, loss: str) -> Path:
    """Write the map as SVG, PNG or PDF, by the ending of the path; files without either value are left out."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    points = {
        name: (x, y)
        for name, found in comparison.evaluations.items()
        if (x := found[risk].value) is not None and (y := found[loss].value) is not None
    }
    if not points:
        raise InputError(f"No file has both {risk} and {loss}: choose others for the map.")
    with mpl.rc_context({"svg.hashsalt": "ammg", "font.size": 10}):
        figure = Figure(figsize=(7.2, 4.6), layout="constrained")
        axes = figure.subplots()
        for name, (x, y) in points.items():
            hollow = name in comparison.references
            axes.scatter([x], [y], s=48, facecolors="none" if hollow else FILE, edgecolors=INK if hollow else FILE)
            axes.annotate(name, (x, y), xytext=(6, 4), textcoords="offset points", color=INK)
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        axes.margins(0.15)
        axes.set_xlabel(f"risk ({risk})")
        axes.set_ylabel(f"information loss ({loss})")
        axes.spines[["top", "right"]].set_visible(False)
        with atomic(path) as temporary:
            figure.savefig(
                temporary,
                format=path.suffix.lstrip(".") or "svg",
                metadata={"Date": None} if path.suffix == ".svg" else None,
            )
    return path
