"""The attack on whatever was composed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.errors import NotDefined
from ammg.kernels.linkage.residual_space import as_they_are, damped, logarithmic, normal_scores, residual_space
from ammg.measures.linkage.attack import Attack, Attempt, Cost, best_of, credit_links, nearest_sureness
from ammg.measures.linkage.intruder import Knowledge, Search
from ammg.measures.measurement import Fact

if TYPE_CHECKING:
    from ammg.kernels.linkage.fold_linkage import FoldSpace

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST_AGREEMENT = 1e-6
LEAST_PAIRS = 10  # fewer teach nothing
FEW_PAIRS = 50  # to each attribute: up to here the intruder also tries to learn cautiously
CAUTION = 2.0  # pseudo-pairs to each attribute
CHOOSING = 1000  # records on which the ways to learn are compared
SCALES = {scale.__name__: scale for scale in (as_they_are, normal_scores, damped, logarithmic)}


class Learning(NamedTuple):
    """A way to learn: the scale on which numbers are compared, and the caution."""

    scale: str
    pseudo_pairs: float


class ResidualLinkage(Attack):
    """Share of released records found by an intruder who has learned from true pairs what the mask does to records.

    The best linear prediction of the released from the original numbers, the covariance of its residuals and the rates
    at which categories stay give each pair a likelihood; links go to the most likely person, or one to one. Numbers are
    taken as they are, as normal scores of their ranks, with their tails drawn in, or as logarithms, whichever finds
    most. No recipe escapes by being composed. A worst case: it takes true pairs to learn from. Nobody is sought with
    what was learned from themselves: people fall into folds, and for each fold the others teach and choose the scale.
    Source: Torra, Abowd and Domingo-Ferrer (2006); Abril, Navarro-Arribas and Torra (2012).
    """

    exempt: ClassVar[Mapping[str, str]] = {
        "more_suppression": "what is hidden of one person frees or takes a record of another: links are one to one",
    }
    reads_description: ClassVar[bool] = False

    @property
    def cost(self) -> Cost:
        """Links one to one."""
        return Cost.MATCHING

    def attack(self, pair: Pair, search: Search) -> Attempt:
        """Learn from the true pairs of the other folds, then look for the nearest person."""
        from ammg.kernels.linkage.fold_linkage import assign_in_folds, credit_in_folds, fold_numbers

        known = search.known
        if not _varies(known):
            raise NotDefined("the known attributes do not vary")
        link = pair.link[search.records]
        taught = int(np.sum(link >= 0))
        if taught < LEAST_PAIRS:
            raise NotDefined(
                f"{taught} records with a known origin are too few to learn from ({LEAST_PAIRS} are needed)"
            )
        row_of = np.empty(pair.n, dtype=np.int64)
        row_of[search.people] = np.arange(pair.n)
        truth = np.where(link >= 0, row_of[link], -1)
        folds = fold_numbers(truth, pair.n, 5 if taught < 5000 else 2)
        trial = _Trial(known, truth, folds)
        chosen = trial.best_learnings()
        spaces = [trial.space(learning, fold) for fold, learning in enumerate(chosen)]
        ways = {"nearest": credit_in_folds(spaces, search.origin)}
        if self.compares(pair) and not self.enough(ways["nearest"], search.origin >= 0):
            links = assign_in_folds(spaces, pair.t).links
            ways["one_to_one"] = credit_links(links, search.origin, known.original, known.masked)
        scales = tuple(sorted({learning.scale for learning in chosen}))
        sureness = np.full(pair.t, np.nan)
        for space in spaces:
            if (space.kinds == 0).all():
                sureness[space.rows] = nearest_sureness(space.original, space.masked, None)
        facts: dict[str, Fact] = {"learned_from": taught, "folds": len(chosen), "scales": scales}
        return best_of(ways, search.origin >= 0, facts, sureness)


class _Trial:
    """What is known and true, in folds; every way to learn is tried on each."""

    def __init__(self, known: Knowledge, truth: Ints, folds: Ints) -> None:
        numbers = ~known.categorical
        sides = known.original[:, numbers], known.masked[:, numbers]
        self.files = {name: scale(*sides) for name, scale in SCALES.items()}
        self.codes, self.shown = known.original[:, ~numbers], known.masked[:, ~numbers]
        self.truth, self.folds, self.count = truth, folds, int(folds.max()) + 1
        few = int(np.sum(truth >= 0)) < FEW_PAIRS * int(numbers.sum())
        caution = (0.0, CAUTION * float(numbers.sum())) if few else (0.0,)
        self.learnings = [
            Learning(name, pairs) for name in (SCALES if numbers.any() else [as_they_are.__name__]) for pairs in caution
        ]

    def space(self, learning: Learning, fold: int, among: Ints | None = None) -> FoldSpace:
        """The records of a fold, or those among them, as learned from the other folds."""
        from ammg.kernels.kd_tree import MISMATCH, SQUARED
        from ammg.kernels.linkage.fold_linkage import FoldSpace

        teachers = np.where(self.folds == fold, -1, self.truth)
        space = residual_space(*self.files[learning.scale], teachers, pseudo_pairs=learning.pseudo_pairs)
        rows = np.flatnonzero(self.folds == fold) if among is None else among[self.folds[among] == fold]
        width = space.original.shape[1]
        costs = _mismatch_costs(self.codes, self.shown, teachers)
        return FoldSpace(
            rows,
            np.hstack([space.original, self.codes]),
            np.hstack([space.masked[rows], self.shown[rows]]),
            np.repeat([SQUARED, MISMATCH], [width, len(costs)]).astype(np.int64),
            np.concatenate([np.ones(width), costs]),
            _limit(space.original, space.masked, teachers) + float(costs.sum()),
        )

    def best_learnings(self) -> list[Learning]:
        """For each fold the way to learn that finds most in the others; the fold itself has no say."""
        from ammg.kernels.linkage.fold_linkage import credit_in_folds

        if len(self.learnings) == 1:
            return self.learnings * self.count
        linked = np.flatnonzero(self.truth >= 0)
        some = np.sort(np.random.default_rng(CHOOSING).permutation(linked)[:CHOOSING])
        credit = np.stack(
            [
                credit_in_folds([self.space(way, fold, some) for fold in range(self.count)], self.truth)[some]
                for way in self.learnings
            ]
        )
        others = [credit[:, self.folds[some] != fold].sum(axis=1) for fold in range(self.count)]
        return [self.learnings[int(found.argmax())] for found in others]


def _varies(known: Knowledge) -> bool:
    """Whether any attribute has two values."""
    return any(len(np.unique(column[~np.isnan(column)])) > 1 for column in known.original.T)


def _mismatch_costs(codes: Floats, shown: Floats, origin: Ints) -> Floats:
    """Twice the log-likelihood ratio of agreement among true pairs and among all pairs, to add to squared residuals."""
    real = origin >= 0
    pairs = codes[origin[real]], shown[real]
    seen = ~np.isnan(pairs[0] + pairs[1])
    m = (((pairs[0] == pairs[1]) & seen).sum(axis=0) + 0.5) / (seen.sum(axis=0) + 1.0)
    u = np.array([_chance(a, b) for a, b in zip(codes.T, shown.T, strict=True)])
    m, u = np.clip(m, LEAST_AGREEMENT, 1 - LEAST_AGREEMENT), np.clip(u, LEAST_AGREEMENT, 1 - LEAST_AGREEMENT)
    return np.asarray(np.maximum(2 * (np.log(m / u) - np.log1p(-m) + np.log1p(-u)), 0.0))


def _chance(codes: Floats, shown: Floats) -> float:
    """The chance that a random pair agrees."""
    sides = [side[~np.isnan(side)].astype(np.int64) for side in (codes, shown)]
    size = 1 + max((int(side.max(initial=0)) for side in sides), default=0)
    shares = [np.bincount(side, minlength=size) / max(len(side), 1) for side in sides]
    return float(shares[0] @ shares[1])


def _limit(original: Floats, masked: Floats, origin: Ints) -> float:
    """A distance that hardly any true pair exceeds; beyond it one wrong person is as wrong as another."""
    real = origin >= 0
    true = ((masked[real] - original[origin[real]]) ** 2).sum(axis=1)
    return float(2 * np.quantile(true, 0.99) + 1)
