"""How the search goes: families by bisection on their strength, then variations of the best recipes.

Along the strength of a family the loss rises and the risk falls, roughly. A recipe that breaks a limit sends its family
to the stronger side, one that loses more than the best safe recipe so far to the milder side, without an attack. A
family ends where nothing is left between the two.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from ammg.optimizer.bench import Bench, BudgetSpent
from ammg.optimizer.ladder import Verdict
from ammg.optimizer.space import Family, Recipe, Space, written
from ammg.optimizer.variation import variation

_FINEST = 1 / 64  # of the way from the mild to the strong end
_BATCH = 8  # variations judged together
_PATIENCE = 6  # batches of variations without a better recipe
_ATTEMPTS = 40  # to find a variation that was not tried
_PARENTS = 6  # best recipes that are varied
_SHARES = (0.4, 0.15)  # of the trials, for families that reach what is known, and what is confidential; the rest varies


@dataclass
class _Branch:
    """A family and the part of its strengths that is still of interest."""

    family: Family
    low: float = 0.0  # breaks a limit here, or the mild end
    high: float = 1.0  # safe or too much loss here, or the strong end
    at: float = 1.0  # where it is judged next
    is_open: bool = True

    def recipe(self) -> Recipe:
        return tuple(option.at(self.at) for option in self.family)

    def learn(self, verdict: Verdict) -> None:
        """Go to the milder or the stronger side."""
        if verdict.state == "refused" or (verdict.state == "broken" and self.at >= self.high >= 1.0):
            self.is_open = verdict.state == "refused" and self.at > 0.25
            self.high = self.at  # too strong for this file: a milder one may do
            self.at = (self.low + self.high) / 2
            return
        if verdict.state == "broken":
            self.low = self.at
        else:
            self.high = self.at
        self.at = (self.low + self.high) / 2
        self.is_open = self.high - self.low > _FINEST


def explore(space: Space, bench: Bench, rng: np.random.Generator) -> None:
    """Judge recipes on the bench until its trials are used up or nothing better is to be expected."""
    try:
        for families, share in zip(space.families(), _SHARES, strict=False):
            _bisect(families, bench, len(bench.verdicts) + math.ceil(share * bench.trials))
        _vary(space, bench, rng)
    except BudgetSpent:
        pass


def _bisect(families: list[Family], bench: Bench, trials: int) -> None:
    branches = [_Branch(family) for family in families]
    while branches and len(bench.verdicts) < trials:
        verdicts = bench.judge([branch.recipe() for branch in branches])
        for branch, verdict in zip(branches, verdicts, strict=True):
            branch.learn(verdict)
        branches = [branch for branch in branches if branch.is_open]


def _vary(space: Space, bench: Bench, rng: np.random.Generator) -> None:
    waited = 0
    while waited < _PATIENCE:
        best = bench.best
        batch: dict[str, Recipe] = {}
        for _ in range(_ATTEMPTS):
            varied = variation(space, _parents(bench), rng)
            if varied and (text := written(varied)) not in bench.verdicts:
                batch[text] = varied
            if len(batch) == _BATCH:
                break
        if not batch:
            return
        bench.judge(batch.values())
        waited = 0 if bench.best < best else waited + 1


def _parents(bench: Bench) -> list[Verdict]:
    """The safe recipes of least loss, and those nearest to safety among the ones that lose less."""
    verdicts = bench.verdicts.values()
    safe = sorted((v for v in verdicts if v.state == "safe"), key=lambda v: v.loss)[:_PARENTS]
    broken = sorted((v for v in verdicts if v.state == "broken" and v.loss < bench.best), key=lambda v: v.pressure)
    broken = broken[: _PARENTS // (2 if safe else 1)]
    return [v for pair in zip_longest(safe, broken) for v in pair if v is not None]
