"""How the search goes: families by bisection on their strength, then the best recipes number by number, then varied.

Where limits look at groups of columns that have nothing in common (keys, incomes), each group is solved by itself
first, and the best recipes of the groups are put together.

Along the strength of a family the loss rises and the risk falls, roughly. A recipe that breaks a limit sends its family
to the stronger side, one that loses more than the best safe recipe so far to the milder side, without an attack. A
family ends where nothing is left between the two. At the end the best recipes of other kinds than the best are
attacked too, because people choose by meaning as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product, zip_longest

import numpy as np

from ammg.methods.method import Method
from ammg.optimizer.bench import Bench, BudgetSpent
from ammg.optimizer.groups import Group
from ammg.optimizer.ladder import Verdict
from ammg.optimizer.options import Family, Recipe, written
from ammg.optimizer.space import Space
from ammg.optimizer.variation import milder_numbers, other_choices, stronger_numbers, variation

KINDS = ("recoding", "perturbation", "mixed")
_FINEST = 1 / 64  # of the way from the mild to the strong end
_BATCH = 8  # variations judged together
_PATIENCE = 6  # batches of variations without a better recipe
_ATTEMPTS = 40  # to find a variation that was not tried
_PARENTS = 6  # best recipes that are varied
_SHARPENED = 2  # best recipes whose numbers are made milder one by one
_SHARES = (0.35, 0.2, 0.1, 0.05)  # of the trials, for each tier of families; the rest sharpens and varies
_NEAR = 3.0  # times a limit in the sample up to which a recipe may keep it on the whole file
_GROUPS = 0.7  # of the trials for groups of columns that are solved by themselves
_TOGETHER = 12  # combinations of the best recipes of groups
_FEWEST = 12  # families of a tier that are tried whatever the number of trials
WORTH_SHOWING = 3.0
"""Times the loss of the choice, up to which a recipe of another kind is shown beside it."""
_ABREAST = 4  # families that are followed to the end
_ATTACKED = 8  # recipes that are attacked because the safe ones fell


@dataclass
class _Branch:
    """A family and the part of its strengths that is still of interest."""

    family: Family
    low: float = 0.0  # breaks a limit here, or the mild end
    high: float = 1.0  # safe or too much loss here, or the strong end
    at: float = 1.0  # where it is judged next
    is_open: bool = True
    loss: float = 0.0  # at least, of whatever is left between the two
    promise: float = math.inf  # roughly the loss at which it may become safe

    def recipe(self) -> Recipe:
        return tuple(option.at(self.at) for option in self.family)

    def learn(self, verdict: Verdict) -> None:
        """Go to the milder or the stronger side."""
        self.promise = _promise(verdict)
        if verdict.state == "refused" or (verdict.state == "broken" and self.at >= self.high >= 1.0):
            self.is_open = verdict.state == "refused" and self.at > 0.25
            self.high = self.at  # too strong for this file: a milder one may do
            self.at = (self.low + self.high) / 2
            return
        if verdict.state == "broken":
            self.low, self.loss = self.at, verdict.loss
        else:
            self.high = self.at
        self.at = (self.low + self.high) / 2
        self.is_open = self.high - self.low > _FINEST


def _promise(verdict: Verdict) -> float:
    """What a family may have to lose to be safe: the more, the farther a recipe of it is above a limit.

    On CENSUS the risk of microaggregation falls with about the fourth power of its loss, that of noise with less than
    the first; the square root of the risk lies between them.
    """
    if verdict.state == "refused":
        return math.inf
    return verdict.loss * (math.sqrt(verdict.pressure) if verdict.state == "broken" else 1.0)


def explore(space: Space, bench: Bench, rng: np.random.Generator, groups: Sequence[Group] = ()) -> None:
    """Judge recipes on the bench until its trials are used up or nothing better is to be expected."""
    try:
        if len(groups) > 1 and bench.trials >= _FEWEST:
            _combine(space, bench, groups)
        if not _safe(bench):
            _bisect_tiers(space.families(), bench)
        _sharpen(bench)
        _vary(space, bench, rng)
    except BudgetSpent:
        pass
    _attack_other_kinds(bench)


def refit(tried: Bench, whole: Bench) -> None:
    """Judge the best recipes of a sample on the whole file, where look-alikes are more, and make them milder there."""
    safe = _safe(tried)
    kinds = {kind_of(verdict.recipe): verdict for verdict in reversed(safe)}
    broken = [v for v in tried.verdicts.values() if v.state == "broken" and v.loss < tried.best]
    near = [v for v in sorted(broken, key=lambda v: v.loss * v.pressure) if v.pressure <= _NEAR]
    if not safe and not near:
        near = sorted(broken, key=lambda v: v.pressure)
    try:
        whole.judge(v.recipe for v in (*safe[:_SHARPENED], *kinds.values(), *near[:_PARENTS]))
        _sharpen(whole)
    except BudgetSpent:
        pass
    _attack_other_kinds(whole)


def attack_more(bench: Bench) -> bool:
    """Attack the recipes of least loss that were passed over, because the safe ones fell in the last round."""
    passed = sorted((v for v in bench.verdicts.values() if v.state == "measured"), key=lambda v: v.loss)
    return [bench.attack(verdict).state for verdict in passed[:_ATTACKED]].count("safe") > 0


def strengthen(bench: Bench) -> bool:
    """Make single numbers of the best safe recipes stronger, because under other secrets they break a limit."""
    found = False
    for parent in _safe(bench)[:_SHARPENED]:
        recipes = stronger_numbers(parent.recipe)
        bench.trials = max(bench.trials, bench.spent + len(recipes))
        for verdict in bench.judge(recipes):
            judged = bench.attack(verdict) if verdict.state == "measured" else verdict
            found = found or judged.state == "safe"
    return found


def kind_of(recipe: Recipe) -> str:
    """What people choose between: recoding and suppression, perturbation, or both."""
    perturbs = {step.perturbs for step in recipe}
    recoding, perturbation, mixed = KINDS
    return mixed if len(perturbs) > 1 else perturbation if True in perturbs else recoding


def _combine(space: Space, bench: Bench, groups: Sequence[Group]) -> None:
    """Solve each group by the limits that look at it, and judge the best of them together by all limits."""
    trials = math.ceil(_GROUPS * bench.trials / len(groups))
    best = []
    for group in groups:
        part = bench.part(group.labels, trials, ", ".join(sorted(group.columns)))
        try:
            _bisect_tiers(space.families([set(group.columns)]), part)
            _sharpen(part)
        except BudgetSpent:
            pass
        best.append(_of_different_methods(part))
    together = sorted(product(*best), key=lambda parts: sum(verdict.loss for verdict in parts))
    recipes = [_in_order(step for verdict in parts for step in verdict.recipe) for parts in together]
    bench.judge([recipe for recipe in recipes if len(recipe) <= space.steps][:_TOGETHER])


def _of_different_methods(bench: Bench) -> list[Verdict]:
    """The best safe recipe of each combination of methods, those of least loss first; else the least risky ones."""
    found: dict[tuple[str, ...], Verdict] = {}
    broken = sorted((v for v in bench.verdicts.values() if v.state == "broken"), key=lambda v: v.pressure)
    for verdict in _safe(bench) or broken:
        found.setdefault(tuple(step.name for step in verdict.recipe), verdict)
    return list(found.values())[:_PARENTS]


def _in_order(steps: Iterable[Method]) -> Recipe:
    """What changes single values goes first: a recoding would make its columns unusable for it."""
    return tuple(sorted(steps, key=lambda step: step.recodes))


def _bisect_tiers(tiers: list[list[Family]], bench: Bench) -> None:
    for families, share in zip(tiers, _SHARES, strict=False):
        _bisect(families, bench, bench.spent + math.ceil(share * bench.trials))


def _bisect(families: list[Family], bench: Bench, trials: int) -> None:
    """Judge families at one strength after the other; the worse half is given up where trials run short.

    A few of them are followed to the end whatever the number of trials: the best strength lies in the last steps.
    """
    left = trials - bench.spent
    branches = [_Branch(family) for family in families[: max(_FEWEST, left // 2)]]
    while branches:
        verdicts = bench.judge([branch.recipe() for branch in branches])
        for branch, verdict in zip(branches, verdicts, strict=True):
            branch.learn(verdict)
        branches = [branch for branch in branches if branch.is_open and branch.loss < bench.best]
        if len(branches) > max(_ABREAST, trials - bench.spent):
            branches.sort(key=lambda branch: branch.promise)
            branches = branches[: max(_ABREAST, len(branches) // 2 if bench.spent < trials else 0)]


def _sharpen(bench: Bench) -> None:
    """Make single numbers of the best recipes milder, or choose otherwise, as long as that is safe and loses less."""
    for parent in _safe(bench)[:_SHARPENED]:
        best: Verdict | None = parent
        while best is not None:
            here = best
            tried = bench.judge([*other_choices(here.recipe), *milder_numbers(here.recipe)])
            better = [verdict for verdict in tried if verdict.state == "safe" and verdict.loss < here.loss]
            best = min(better, key=lambda verdict: verdict.loss, default=None)


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


def _attack_other_kinds(bench: Bench) -> None:
    """Attack recipes of kinds without a safe one, which lost too much to be chosen: by bisection on their losses.

    Those that lose far more than the best one are of no use to anybody.
    """
    for kind in ("recoding", "perturbation", "mixed"):
        if any(kind_of(verdict.recipe) == kind for verdict in _safe(bench)):
            continue
        measured = [v for v in bench.verdicts.values() if v.state == "measured" and kind_of(v.recipe) == kind]
        passed = [verdict for verdict in measured if verdict.loss <= WORTH_SHOWING * bench.best]
        passed.sort(key=lambda v: v.loss)
        low, high = 0, len(passed)
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if bench.attack(passed[middle]).state == "safe" else (middle + 1, high)


def _safe(bench: Bench) -> list[Verdict]:
    return sorted((v for v in bench.verdicts.values() if v.state == "safe"), key=lambda v: v.loss)


def _parents(bench: Bench) -> list[Verdict]:
    """The safe recipes of least loss, and those nearest to safety among the ones that lose less."""
    verdicts = bench.verdicts.values()
    safe = _safe(bench)[:_PARENTS]
    broken = sorted((v for v in verdicts if v.state == "broken" and v.loss < bench.best), key=lambda v: v.pressure)
    broken = broken[: _PARENTS // (2 if safe else 1)]
    return [v for pair in zip_longest(safe, broken) for v in pair if v is not None]
