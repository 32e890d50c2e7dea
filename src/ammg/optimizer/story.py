"""The result of each combination of methods in a search, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ammg.optimizer.ladder import Verdict
from ammg.pipeline.limits import Limit

Names = tuple[str, ...]


@dataclass(frozen=True)
class Considered:
    """A combination of methods, how many recipes of it were tried, and the best of them in words."""

    methods: Names
    tried: int
    outcome: str
    columns: str = ""
    """The group of columns that it was tried on, by the limits that look at it; empty for all of them together."""

    def __str__(self) -> str:
        tried = "1 recipe" if self.tried == 1 else f"{self.tried} recipes"
        on = f" on {self.columns}" if self.columns else ""
        return f"{' + '.join(self.methods)}{on} ({tried}): {self.outcome}"


def considered(
    verdicts: Iterable[Verdict], loss: str, limits: Mapping[str, Limit], columns: str = ""
) -> tuple[Considered, ...]:
    """Every combination of methods that was tried: those that meet the limits first, by their least loss."""
    by_methods: dict[Names, list[Verdict]] = {}
    for verdict in verdicts:
        by_methods.setdefault(tuple(step.name for step in verdict.recipe), []).append(verdict)
    ranked = sorted(by_methods.items(), key=lambda entry: _rank(entry[1]))
    return tuple(Considered(names, len(group), _outcome(group, loss, limits), columns) for names, group in ranked)


def _rank(group: list[Verdict]) -> tuple[int, float]:
    for place, state in enumerate(("safe", "broken", "lossy", "measured", "refused")):
        if losses := [verdict.loss for verdict in group if verdict.state == state]:
            return place, min(losses) if state != "refused" else 0.0
    return 5, 0.0


def _outcome(group: list[Verdict], loss: str, limits: Mapping[str, Limit]) -> str:
    by_state: dict[str, list[Verdict]] = {}
    for verdict in group:
        by_state.setdefault(verdict.state, []).append(verdict)
    if safe := by_state.get("safe"):
        return f"meets all limits, {loss} {min(verdict.loss for verdict in safe):.4g}"
    if any(not verdict.risks for verdict in by_state.get("broken", ())):
        return f"its {loss} is higher than that of the best safe recipe"
    if broken := by_state.get("broken") or by_state.get("lossy"):
        nearest = min(broken, key=lambda verdict: verdict.pressure)
        worst = max(nearest.risks, key=lambda label: limits[label].pressure(nearest.risks[label]))
        return f"exceeds the limit of {worst}, at best {nearest.pressure:.3g} times; {loss} {nearest.loss:.4g}"
    if measured := by_state.get("measured"):
        least = min(verdict.loss for verdict in measured)
        return f"not attacked: its {loss} of at least {least:.4g} exceeds that of the best safe recipe"
    return f"cannot be used: {group[0].reason}"
