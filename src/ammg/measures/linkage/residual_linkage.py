"""The attack on any combination of methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Role
from ammg.data.pair import Pair
from ammg.errors import NotDefined
from ammg.kernels.linkage.residual_space import as_they_are, damped, logarithmic, normal_scores, residual_space
from ammg.kernels.spaces import Space
from ammg.kernels.threads import AT_ONCE, in_threads
from ammg.measures.linkage.attack import Attack, Attempt, Cost, best_of, credit_links
from ammg.measures.linkage.fewer_attributes import clearly_better
from ammg.measures.linkage.housemates import household_ways
from ammg.measures.linkage.intruder import Knowledge, Search
from ammg.measures.linkage.signs import Signs
from ammg.measures.measurement import Fact

if TYPE_CHECKING:
    from ammg.kernels.matching.fold_linkage import FoldSpace

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST_PAIRS = 10  # fewer teach nothing
FEW_PAIRS = 50  # to each attribute: up to here the intruder also tries to learn cautiously
CAUTION = 2.0  # pseudo-pairs to each attribute
CHOOSING = 1000  # records on which the ways to learn are compared
SCALES = {scale.__name__: scale for scale in (as_they_are, normal_scores, damped, logarithmic)}
NEIGHBOURS = "neighbours"  # on the scale of normal scores, whatever function of an original column a masked one is

_ANALYSED = (Role.KEY, Role.CONFIDENTIAL, Role.OTHER)


class Learning(NamedTuple):
    """A way to learn: the scale on which numbers are compared, the caution, and whether unknown columns count."""

    scale: str
    pseudo_pairs: float
    beside: bool = False


class ResidualLinkage(Attack):
    """Share of released records re-identified by an intruder who has learned how masking changes records.

    The best linear prediction of released from original numbers, the covariance of its residuals and the rates at which
    categories stay give each pair a likelihood. Links go to the most likely person, alone and over all matchings, or
    one to one. Numbers are taken as they are, as normal scores, with shortened tails, as logarithms, or as people with
    the nearest values predict them, whichever finds most. Released columns that the intruder does not know, such as
    weights and strata, are used if they predict known ones; renamed values are translated, and unchanged last digits
    compared. The attack applies to any combination of methods. It is a worst case, because it needs true pairs to learn
    from. People are split into folds, so that nobody is attacked with what was learned from themselves. Source: Torra,
    Abowd and Domingo-Ferrer (2006); Abril, Navarro-Arribas and Torra (2012).
    """

    exempt: ClassVar[Mapping[str, str]] = {
        "more_suppression": "links are one to one, so hiding one person's values changes the links of others",
    }
    reads_description: ClassVar[bool] = False

    @property
    def cost(self) -> Cost:
        """Links one to one."""
        return Cost.MATCHING

    def holds_pairs(self, pair: Pair) -> bool:
        """Only links one to one need a number for each pair."""
        return self.compares(pair)

    def attack(self, pair: Pair, search: Search) -> Attempt:
        """Learn from the true pairs of the other folds, then look for the nearest person."""
        from ammg.kernels.linkage.pair_likelihood import hit_chance, top_chance
        from ammg.kernels.matching.fold_linkage import (
            assign_in_folds,
            credit_in_folds,
            fold_numbers,
            likelihood_in_folds,
        )
        from ammg.kernels.matching.likely_assignment import finds_room, share_out

        known = search.known
        if not _varies(known):
            raise NotDefined("the known attributes do not vary")
        link = pair.link[search.records]
        taught = int(np.sum(link >= 0))
        if taught < LEAST_PAIRS:
            raise NotDefined(f"{taught} records of known origin are too few to learn from ({LEAST_PAIRS} are needed)")
        row_of = np.empty(pair.n, dtype=np.int64)
        row_of[search.people] = np.arange(pair.n)
        truth = np.where(link >= 0, row_of[link], -1)
        folds = fold_numbers(truth, pair.n, 5 if taught < 5000 else 2)
        trial = _Trial(known, truth, folds, _beside(pair, search), Signs(pair, search))
        chosen = trial.best_learnings()
        spaces = in_threads(
            lambda fold: trial.space(chosen[fold], fold), range(len(chosen)), known.masked.size, most=AT_ONCE
        )
        ways = {"nearest": credit_in_folds(spaces, search.origin)}
        sureness = np.full(pair.t, np.nan)
        enough = self.enough(ways["nearest"], search.origin >= 0)
        if self.compares(pair) and not enough:
            links = assign_in_folds(spaces, pair.t).links
            ways["one_to_one"] = credit_links(links, search.origin, known.original, known.masked)
        if self.compares(pair) and finds_room(pair.t, pair.n) and not enough:
            likelihood = likelihood_in_folds(spaces, pair.t)
            ways["most_probable_of_matchings"] = hit_chance(share_out(likelihood), search.origin)
            ways |= household_ways(pair, search, likelihood)
            sureness = top_chance(likelihood)
        else:
            asked = np.zeros(pair.t, dtype=bool)
            asked[search.judged] = True
            for space in spaces:
                if (space.kinds == 0).all():
                    both, rows = Space(space.original, space.masked, None), np.flatnonzero(asked[space.rows])
                    sureness[space.rows] = self.nearest_sureness(both, rows)
        scales = tuple(sorted({learning.scale for learning in chosen}))
        facts: dict[str, Fact] = {
            "learned_from": taught,
            "folds": len(chosen),
            "scales": scales,
            "unknown_columns_used": any(learning.beside for learning in chosen),
        }
        return best_of(ways, search.origin >= 0, facts, sureness)


class _Trial:
    """What is known and true, in folds; every way to learn is tried on each."""

    def __init__(self, known: Knowledge, truth: Ints, folds: Ints, beside: Floats, signs: Signs) -> None:
        numbers = ~known.categorical
        sides = known.original[:, numbers], known.masked[:, numbers]
        self.files = {name: scale(*sides) for name, scale in SCALES.items()}
        self.beside = {name: scale(beside, beside)[1] for name, scale in SCALES.items()}
        self.codes, self.shown = known.original[:, ~numbers], known.masked[:, ~numbers]
        self.truth, self.folds, self.count = truth, folds, int(folds.max()) + 1
        teachers = [np.where(folds == fold, -1, truth) for fold in range(self.count)]
        self.told = in_threads(signs.told, teachers, len(truth) * len(known.names))
        self.renamed = in_threads(self._renamed, teachers, self.shown.size)
        others = (False, True) if (numbers.any() and beside.size) or any(self.told) else (False,)
        few = int(np.sum(truth >= 0)) < FEW_PAIRS * int(numbers.sum())
        caution = (0.0, CAUTION * float(numbers.sum())) if few else (0.0,)
        self.learnings = [
            Learning(name, pairs, beside)
            for name in ([*SCALES, NEIGHBOURS] if numbers.any() else [as_they_are.__name__])
            for pairs in caution
            for beside in others
        ]

    def _renamed(self, teachers: Ints) -> tuple[Floats, Floats]:
        """The released categories in the words of the original, and what it costs to differ in each."""
        from ammg.kernels.linkage.mismatch_costs import mismatch_costs

        shown = _translated(self.codes, self.shown, teachers)
        return shown, mismatch_costs(self.codes, shown, teachers)

    def space(self, learning: Learning, fold: int, among: Ints | None = None) -> FoldSpace:
        """The records of a fold, or those among them, as learned from the other folds."""
        from ammg.kernels.kd_tree import MISMATCH, SQUARED
        from ammg.kernels.matching.fold_linkage import FoldSpace

        teachers = np.where(self.folds == fold, -1, self.truth)
        beside: Floats | None = None
        helping: Floats | None = None
        if learning.scale == NEIGHBOURS:
            helping, files = self.files[normal_scores.__name__][0], self._predicted(teachers, learning.beside)
        else:
            files = self.files[learning.scale]
            beside = self.beside[learning.scale] if learning.beside and files[0].shape[1] else None
        space = residual_space(*files, teachers, pseudo_pairs=learning.pseudo_pairs, beside=beside, helping=helping)
        rows = np.flatnonzero(self.folds == fold) if among is None else among[self.folds[among] == fold]
        width = space.original.shape[1]
        shown, costs = self.renamed[fold]
        codes = self.codes
        if learning.beside and (told := self.told[fold]):
            codes = np.column_stack([codes, *(sign.own for sign in told)])
            shown = np.column_stack([shown, *(sign.shown for sign in told)])
            costs = np.append(costs, [sign.cost for sign in told])
        return FoldSpace(
            rows,
            np.hstack([space.original, codes]),
            np.hstack([space.masked[rows], shown[rows]]),
            np.repeat([SQUARED, MISMATCH], [width, len(costs)]).astype(np.int64),
            np.concatenate([np.ones(width), costs]),
            _limit(space.original, space.masked, teachers) + float(costs.sum()),
        )

    def _predicted(self, teachers: Ints, beside: bool) -> tuple[Floats, Floats]:
        """What neighbours predict of everybody, and what records show."""
        from ammg.kernels.linkage.neighbour_prediction import neighbour_prediction

        own, shown = self.files[normal_scores.__name__]
        shown = np.hstack([shown, self.beside[normal_scores.__name__]]) if beside else shown
        return neighbour_prediction(own, shown, teachers), shown

    def best_learnings(self) -> list[Learning]:
        """For each fold the way to learn that finds most in the others; the fold itself has no say."""
        from ammg.kernels.matching.fold_linkage import credit_in_folds

        if len(self.learnings) == 1:
            return self.learnings * self.count
        linked = np.flatnonzero(self.truth >= 0)
        some = np.sort(np.random.default_rng(CHOOSING).permutation(linked)[:CHOOSING])

        def found_by(way: Learning) -> Floats:
            found: Floats = credit_in_folds([self.space(way, fold, some) for fold in range(self.count)], self.truth)
            return np.asarray(found[some])

        cells = len(self.learnings) * (self.shown.size + self.files[as_they_are.__name__][1].size)
        credit = np.stack(in_threads(found_by, self.learnings, cells, most=AT_ONCE))
        others = [credit[:, self.folds[some] != fold].sum(axis=1) for fold in range(self.count)]
        return [self.learnings[int(found.argmax())] for found in others]


def _beside(pair: Pair, search: Search) -> Floats:
    """The released numbers of which the intruder knows no original, in the order of the search."""
    names = sorted({a.name for a in pair.masked.schema if a.is_numeric and a.role in _ANALYSED} - {*search.known.names})
    own = [name for name in names if name in pair.original.schema]
    others = [name for name in names if name not in own]  # a list of people need not have all columns
    columns = pair.released(own)
    if others:
        block = pair.masked.block(others)
        columns = np.hstack([columns, *(block.numbers(name)[:, None] for name in others)])
    return columns[search.records]


def _varies(known: Knowledge) -> bool:
    """Whether any attribute has two values."""
    return any(len(np.unique(column[~np.isnan(column)])) > 1 for column in known.original.T)


def _translated(codes: Floats, shown: Floats, origin: Ints) -> Floats:
    """The released categories in the words of the original, where a mask gave them other names: most pairs tell."""
    translated = shown.copy()
    real = origin >= 0
    for j in range(shown.shape[1]):
        own, seen = codes[origin[real], j], shown[real, j]
        both = ~np.isnan(own + seen)
        own, seen = own[both].astype(np.int64), seen[both].astype(np.int64)
        names = _names(own, seen)
        renamed = names[seen]
        if clearly_better((renamed == own).astype(np.float64), than=(seen == own).astype(np.float64)):
            told = ~np.isnan(shown[:, j]) & (shown[:, j] < len(names))
            translated[told, j] = names[shown[told, j].astype(np.int64)]
    return translated


def _names(own: Ints, seen: Ints) -> Floats:
    """The original category that most pairs show for each released one; NaN where two are as frequent."""
    width = int(own.max(initial=-1)) + 1
    found, counts = np.unique(seen * width + own, return_counts=True)
    pairs = np.divmod(found, max(width, 1))
    names = np.full(int(seen.max(initial=-1)) + 1, np.nan)
    most = np.zeros(len(names), dtype=np.int64)
    np.maximum.at(most, pairs[0], counts)
    leading = counts == most[pairs[0]]
    alone = leading & (np.bincount(pairs[0][leading], minlength=len(names)) == 1)[pairs[0]]
    names[pairs[0][alone]] = pairs[1][alone]
    return names


def _limit(original: Floats, masked: Floats, origin: Ints) -> float:
    """A distance that hardly any true pair exceeds; beyond it one wrong person is as wrong as another."""
    real = origin >= 0
    true = ((masked[real] - original[origin[real]]) ** 2).sum(axis=1)
    return float(2 * np.quantile(true, 0.99) + 1)
