"""References on the R-U map: the unmasked file, and well-known methods with their defaults."""

from __future__ import annotations

from collections.abc import Iterator

from ammg.errors import InputError
from ammg.optimizer.bench import Bench
from ammg.optimizer.options import Recipe
from ammg.optimizer.result import Candidate
from ammg.optimizer.space import Space

_WELL_KNOWN = ("additive_noise", "mdav", "rank_swapping", "local_suppression")


def references(space: Space, bench: Bench) -> tuple[Candidate, ...]:
    """The unmasked file, then each well-known mask that takes all columns to protect and can be used on them."""
    unmasked = bench.unmasked()
    found = [Candidate(-1, (), unmasked.risks, 0.0, unmasked.pressure)]
    for recipe in _well_known(space):
        verdict = bench.reference(recipe)
        if verdict.state in ("safe", "broken"):
            found.append(Candidate(-1, verdict.recipe, verdict.risks, verdict.loss, verdict.pressure))
    return tuple(found)


def _well_known(space: Space) -> Iterator[Recipe]:
    """The masks on all columns that the intruder knows, with the parameters of their defaults."""
    reach = space.reaches[0]
    for option in space.options:
        if option.method in _WELL_KNOWN and option.is_plain and set(option.columns) >= reach:
            try:
                yield (option.unit(columns=tuple(name for name in option.columns if name in reach)),)
            except InputError:
                continue
