"""The table of methods and engines for the documentation."""

from __future__ import annotations

from dataclasses import dataclass

from ammg import registry
from ammg.engines.engine import Engine
from ammg.engines.gap import Gap
from ammg.engines.local import LocalEngine
from ammg.engines.spark.engine import SparkEngine

ENGINES: tuple[type[Engine], ...] = (LocalEngine, SparkEngine)


@dataclass(frozen=True)
class Coverage:
    """Whether an engine runs a method: `gap` is None if it does."""

    method: str
    engine: str
    gap: Gap | None


def coverage() -> list[Coverage]:
    """Every registered method on every engine."""
    return [
        Coverage(name, engine.name, engine.gap(method))
        for name, method in registry.units("methods").items()
        for engine in ENGINES
    ]


def gaps_table() -> str:
    """The same as a Markdown table: one row per method, one column per engine."""
    cells = {(entry.method, entry.engine): _cell(entry.gap) for entry in coverage()}
    names = [engine.name for engine in ENGINES]
    lines = [f"| method | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    rows = [
        f"| {method} | {' | '.join(cells[method, name] for name in names)} |" for method in registry.units("methods")
    ]
    return "\n".join([*lines, *rows]) + "\n"


def _cell(gap: Gap | None) -> str:
    if gap is None:
        return "yes"
    without = f"{gap.status.replace('_', ' ')}: {gap.reason}"
    return f"{gap.unless}; else {without}" if gap.unless else without
