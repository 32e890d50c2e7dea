"""Why no recipe meets all limits, and what could help, in words."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ammg.pipeline.limits import Limit

if TYPE_CHECKING:
    from ammg.optimizer.result import Candidate


def figure_of(draws: Sequence[float], errors: float = 1.0) -> float:
    """The figure that is held against a limit, from those of the file itself and of other secrets.

    That of the file, or the mean over all secrets plus its standard error: a margin where the limit is near.
    """
    if len(draws) == 1:
        return draws[0]
    return max(draws[0], statistics.fmean(draws) + errors * statistics.stdev(draws) / math.sqrt(len(draws)))


def shortfall(
    nearest: Candidate, candidates: Sequence[Candidate], limits: Mapping[str, Limit], remedies: Sequence[str]
) -> str:
    """Every limit that the nearest recipe breaks, with value and limit, whether others meet it, and what could help."""
    figures = {label: nearest.draws.get(label, (nearest.risks[label],)) for label in limits}
    pressures = {label: limits[label].pressure(figure_of(figures[label])) for label in limits}
    broken = sorted((label for label in limits if pressures[label] > 1), key=lambda label: -pressures[label])
    told = "; ".join(_told(label, limits[label].at_most, figures[label]) for label in broken)
    return " ".join(filter(None, [f"{told}.", _others(broken, candidates, limits), _help(remedies, broken)]))


def _told(label: str, at_most: float, draws: Sequence[float]) -> str:
    if draws[0] > at_most:
        return f"{label} is {draws[0]:.4g}, the limit is {at_most:.4g}"
    return (
        f"{label} is {draws[0]:.4g} here and {statistics.fmean(draws):.4g} on average over {len(draws)} secrets, "
        f"with its standard error too much for the limit of {at_most:.4g}"
    )


def _others(broken: list[str], candidates: Sequence[Candidate], limits: Mapping[str, Limit]) -> str:
    """Whether single limits are out of reach, or only all of them together."""
    if any(one.is_safe for one in candidates):  # they fell in the last round, which says it
        return ""
    met = {label for one in candidates for label, value in one.risks.items() if value <= limits[label].at_most}
    if out_of_reach := [label for label in broken if label not in met]:
        return f"No recipe tried meets the limit of {_listed(out_of_reach)}."
    if len(broken) == 1:
        return "Other recipes meet this limit but break others."
    return "Other recipes meet each of these limits, but none meets all of them."


def _help(remedies: Sequence[str], broken: list[str]) -> str:
    limits = f"{'a higher limit' if len(broken) == 1 else 'higher limits'} of {_listed(broken, 'and')}"
    return f"What could help: {_listed([*remedies, limits])}."


def _listed(parts: Sequence[str], last: str = "or") -> str:
    """a, b or c."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"
