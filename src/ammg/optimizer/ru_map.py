"""The R-U map: risk against loss, one point a recipe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ammg.io.atomic import atomic

if TYPE_CHECKING:
    from ammg.optimizer.result import SearchResult

INK, SAFE, RISKY, CHOSEN = "#1f2933", "#2f6f9f", "#b9c2cb", "#c8452d"


def draw(result: SearchResult, path: Path) -> Path:
    """Write the map as SVG, PNG or PDF, by the ending of the path."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "ammg", "font.size": 10}):
        figure = Figure(figsize=(7.2, 4.6), layout="constrained")
        axes = figure.subplots()
        for safe, colour, label in ((False, RISKY, "above a limit"), (True, SAFE, "safe enough")):
            points = [c for c in result.candidates if c.is_safe is safe]
            axes.scatter([c.pressure for c in points], [c.loss for c in points], s=22, c=colour, label=label, zorder=2)
        axes.step(
            [c.pressure for c in result.frontier],
            [c.loss for c in result.frontier],
            where="pre",
            c=INK,
            lw=1,
            label="frontier",
            zorder=1,
        )
        axes.scatter(
            [result.choice.pressure],
            [result.choice.loss],
            s=110,
            marker="*",
            c=CHOSEN,
            label="chosen, on the whole file",
            zorder=3,
        )
        axes.axvline(1, c=CHOSEN, lw=0.8, ls="--")
        axes.set_xscale("symlog", linthresh=1)
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        limits = ", ".join(f"{label} ≤ {limit.at_most:g}" for label, limit in result.limits.items())
        axes.set_xlabel(f"risk as a multiple of its limit ({limits})")
        axes.set_ylabel(f"information loss ({result.loss})")
        axes.legend(frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
        with atomic(path) as temporary:
            figure.savefig(
                temporary,
                format=path.suffix.lstrip(".") or "svg",
                metadata={"Date": None} if path.suffix == ".svg" else None,
            )
    return path
