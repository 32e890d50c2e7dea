"""The R-U map: risk against loss, one point per recipe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ammg.charts.chart import Chart

if TYPE_CHECKING:
    from ammg.optimizer.result import Candidate, SearchResult


def ru_map(result: SearchResult) -> Chart:
    """Every recipe by its risk and its loss, the frontier, the choice, the unmasked file and well-known masks.

    The recipes of the frontier and the choice carry the numbers under which the result lists them.
    """
    series: dict[str, list[Candidate]] = {
        "breaks a limit": [point for point in result.candidates if not point.is_safe],
        "meets all limits": [point for point in result.candidates if point.is_safe],
        "frontier: no recipe has less of both": list(result.frontier),
        "well-known mask": [point for point in result.references if point.recipe],
        "unmasked file": [point for point in result.references if not point.recipe],
        "chosen, on the whole file": [result.choice],
    }
    series = {name: points for name, points in series.items() if points}
    places = [(name, point) for name, points in series.items() for point in points]
    limits = ", ".join(f"{label} at most {limit.at_most:g}" for label, limit in result.limits.items())
    return Chart(
        "points",
        f"Risk and loss of {len(result.candidates)} recipes (R-U map); number {result.choice.number} was chosen",
        tuple(point.pressure for _, point in places),
        {name: tuple(point.loss if name == own else None for own, point in places) for name in series},
        f"risk as a multiple of its limit, the worst of: {limits} (further left is safer)",
        f"information loss by {result.loss} (lower is more useful)",
        drawn={"frontier: no recipe has less of both": "steps", "chosen, on the whole file": "star"},
        rules={"limit": 1.0},
        x_scale="log",
        labels=tuple(_label(name, point) for name, point in places),
    )


def _label(series: str, point: Candidate) -> str:
    if series in ("frontier: no recipe has less of both", "chosen, on the whole file"):
        return str(point.number)
    return " + ".join(step.name for step in point.recipe) if series == "well-known mask" else ""
