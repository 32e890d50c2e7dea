"""Why the search leaves methods out, in words."""

from __future__ import annotations

from ammg import registry
from ammg.methods.method import Method
from ammg.optimizer.space import Space
from ammg.params import search_ranges


def left_out(space: Space) -> dict[str, str]:
    """For each method that the search does not consider, one sentence why."""
    used = {option.method for option in space.options}
    allowed = {registry.snake(unit.__name__) for unit in space.units}
    units: dict[str, type[Method]] = dict(registry.units("methods"))
    return {name: _why(unit, space, name in allowed) for name, unit in units.items() if name not in used}


def _why(unit: type[Method], space: Space, allowed: bool) -> str:
    if not unit.searched:
        return "It needs decisions that a search cannot make: add it by hand."
    if not search_ranges(unit):
        return "It has no parameter that a search could vary: add it by hand."
    if not allowed:
        return "It is not among the methods that this search may use."
    wanted = ", ".join(sorted(space.reaches[-1]))
    if not set(unit.search_columns(space.schema)) & space.reaches[-1]:
        return f"It does not apply to any column to protect ({wanted})."
    return f"Its settings do not fit the columns to protect ({wanted})."
