"""The R-U map: risk against loss, one point per recipe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ammg.charts.chart import Chart

if TYPE_CHECKING:
    from ammg.optimizer.result import Candidate, SearchResult


def ru_map(result: SearchResult) -> Chart:
    """Every recipe by its risk and its loss, the frontier, the limit and the choice."""
    tried = list(result.candidates)
    points: list[Candidate] = [*tried, *result.frontier, result.choice]
    ends = len(tried), len(tried) + len(result.frontier)
    risky = [place < ends[0] and not point.is_safe for place, point in enumerate(points)]
    safe = [place < ends[0] and point.is_safe for place, point in enumerate(points)]
    frontier = [ends[0] <= place < ends[1] for place in range(len(points))]
    chosen = [place == ends[1] for place in range(len(points))]
    named = {
        "breaks a limit": risky,
        "keeps every limit": safe,
        "no recipe has less of both": frontier,
        "chosen, on the whole file": chosen,
    }
    limits = ", ".join(f"{label} at most {limit.at_most:g}" for label, limit in result.limits.items())
    return Chart(
        "points",
        "Risk and loss of every recipe tried (R-U map)",
        tuple(point.pressure for point in points),
        {
            name: tuple(point.loss if is_in else None for point, is_in in zip(points, among, strict=True))
            for name, among in named.items()
        },
        f"risk as a multiple of its limit, the worst of: {limits} (further left is safer)",
        f"information loss by {result.loss} (lower is more useful)",
        drawn={"no recipe has less of both": "steps", "chosen, on the whole file": "star"},
        rules={"limit": 1.0},
        x_scale="log",
    )
