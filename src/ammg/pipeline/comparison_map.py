"""The R-U map of a comparison: risk against loss, one point per file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ammg.charts.chart import Chart
from ammg.errors import InputError

if TYPE_CHECKING:
    from ammg.pipeline.comparison import Comparison


def comparison_map(comparison: Comparison, risk: str, loss: str) -> Chart:
    """Every file by its risk and its loss, references included; files without either value are left out."""
    points = {
        name: (x, y)
        for name, found in comparison.evaluations.items()
        if (x := found[risk].value) is not None and (y := found[loss].value) is not None
    }
    if not points:
        raise InputError(f"No file has both {risk} and {loss}: choose other measures for the map.")
    return Chart(
        "points",
        "Risk and loss of every file (R-U map)",
        tuple(x for x, _ in points.values()),
        {name: tuple(y if other == name else None for other in points) for name, (_, y) in points.items()},
        f"risk by {risk} (further left is safer)",
        f"information loss by {loss} (lower is more useful)",
    )
