"""Distance-based record linkage."""

from __future__ import annotations

from collections.abc import Set
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.errors import NotDefined
from ammg.kernels.blocks import over_blocks
from ammg.kernels.columns import extent
from ammg.kernels.pairwise import pairwise_moments
from ammg.kernels.spaces import Space, gower, robust, standardised, whitened
from ammg.kernels.threads import both
from ammg.measures.linkage.attack import Attack, Attempt, Cost, credit_links, sureness_of
from ammg.measures.linkage.intruder import Knowledge, Search
from ammg.measures.measurement import Fact
from ammg.params import param

if TYPE_CHECKING:
    from ammg.kernels.kd_tree import KdTree

Floats = NDArray[np.float64]

MOST_SUBSETS = 200


class DistanceLinkage(Attack):
    """Share of released records whose nearest original record is their own.

    The intruder holds the known attributes of everybody, standardises both files with the original means and standard
    deviations, and links each released record to the nearest person; with c people equally near, the probability is
    1/c. A different category counts as much as one standard deviation (`gower`: as the range of a number).
    `mahalanobis` accounts for correlated noise. Missing values are left out, and the distance is scaled up accordingly.
    It does not look at who lives with whom; `household_linkage` and `worst_case` do.
    Source: Mateo-Sanz, Sebé and Domingo-Ferrer (2004), section 3.2; Torra, Abowd and Domingo-Ferrer (2006).
    """

    suggested_limit = 0.05
    reads_description: ClassVar[bool] = False

    metric: Literal["euclid", "mahalanobis", "robust", "gower"] = param("euclid", "How records are compared.")
    one_to_one: bool = param(False, "Link one to one, with the smallest total distance.")
    subset: int | None = param(
        None, "Average over all subsets of this many known attributes, for an intruder who knows less.", ge=1
    )

    @classmethod
    def strongest(cls, most_pairs: float) -> list[Self]:
        """Nearest and one to one, plain and undoing correlation."""
        return [
            cls(metric=metric, one_to_one=one, most_pairs=most_pairs)
            for metric in ("euclid", "mahalanobis")
            for one in (False, True)
        ]

    @property
    def cost(self) -> Cost:
        """A search for neighbours, or links one to one."""
        return Cost.MATCHING if self.one_to_one else Cost.SEARCH

    def chooses(self, pair: Pair) -> bool:
        """One to one; otherwise all nearest people share the credit, but rounding in a covariance follows the order."""
        return self.one_to_one or self.metric == "mahalanobis"

    def refuse(self, pair: Pair, known: Set[str]) -> None:
        """Refuse one-to-one links among too many pairs."""
        if self.one_to_one and not self.compares(pair):
            raise NotDefined(f"more than {self.most_pairs:.3g} pairs for one-to-one links")

    def attack(self, pair: Pair, search: Search) -> Attempt:
        """Link every released record and count the chances of being right."""
        if self.subset is None:
            return self._link(search.known, search)
        names = search.known.names
        if self.subset > len(names):
            raise NotDefined(f"{len(names)} known attributes have no subset of {self.subset}")
        chosen = _subsets(names, self.subset)
        credit = np.mean([self._link(search.known.only(some), search).credit for some in chosen], axis=0)
        return Attempt(credit, {"subsets": len(chosen)})

    def _link(self, known: Knowledge, search: Search) -> Attempt:
        from ammg.kernels.linkage.nearest import credit, number_copies, rank_intact, rank_truth, tree_of
        from ammg.kernels.linkage.rates import wilson_interval
        from ammg.kernels.matching.nearest_assignment import assign_nearest

        space = self._space(known)
        if not space.original.shape[1]:
            raise NotDefined("the known attributes do not vary")
        if self.one_to_one:
            found = assign_nearest(space.original, space.masked, kinds=space.kinds)
            right = credit_links(found.links, search.origin, space.original, space.masked)
            facts: dict[str, Fact] = {"unlinked": int(np.sum(found.links < 0))}
            return Attempt(right, facts, sureness=self.nearest_sureness(space, search.judged))
        intact = rank_intact(space.original, space.masked, search.origin) if len(space.original) > 1 else None
        if intact is not None:
            ranks, sureness = intact, np.where(intact.tied == 1, 1.0, 0.0)
        else:

            def searched() -> tuple[KdTree, Floats]:
                tree = tree_of(space.original, space.kinds, searches=len(space.masked))
                return tree, self.two_nearest(space, search.judged, tree)

            (tree, two), copies = both(searched, lambda: number_copies(space.masked), space.masked.size)
            ranks = rank_truth(
                space.original,
                space.masked,
                search.origin,
                kinds=space.kinds,
                tree=tree,
                second=two[:, 1],
                copies=copies,
            )
            sureness = sureness_of(two)
        second, sought = float(credit(ranks, 2).sum()), int(np.sum(search.origin >= 0))
        interval = wilson_interval(second, sought)
        facts = {"second_nearest": second / sought, "second_nearest_interval": interval}
        return Attempt(credit(ranks), facts, sureness=sureness)

    def _space(self, known: Knowledge) -> Space:
        if self.metric == "gower":
            return gower(known.original, known.masked, known.categorical)
        if self.metric == "euclid":
            return common_space(known)
        numbers = ~known.categorical
        before, after = known.original[:, numbers], known.masked[:, numbers]
        if self.metric == "robust":
            return _with_categories(robust(before, after), known)
        before, after = _complete(before, after)
        return _with_categories(whitened(before, after, pairwise_moments(before).cov), known)


def common_space(known: Knowledge) -> Space:
    """Numbers standardised by the original; a category that differs counts as much as one standard deviation."""
    numbers = ~known.categorical
    return _with_categories(standardised(known.original[:, numbers], known.masked[:, numbers]), known)


def _with_categories(space: Space, known: Knowledge) -> Space:
    from ammg.kernels.kd_tree import MISMATCH, SQUARED

    if known.categorical.all():
        return Space(known.original, known.masked, np.full(len(known.names), MISMATCH))
    if not known.categorical.any():
        return space
    kinds = np.repeat([SQUARED, MISMATCH], [space.original.shape[1], known.categorical.sum()])
    sides = (space.original, known.original), (space.masked, known.masked)
    original, masked = (_joined(numbers, files, known.categorical) for numbers, files in sides)
    return Space(original, masked, kinds)


def _joined(numbers: Floats, files: Floats, categorical: NDArray[np.bool_]) -> Floats:
    """Numbers, and after them the columns of categories."""
    count = numbers.shape[1]
    out = np.empty((len(numbers), count + int(categorical.sum())))

    def work(start: int, stop: int) -> None:
        out[start:stop, :count] = numbers[start:stop]
        out[start:stop, count:] = files[start:stop, categorical]

    over_blocks(work, len(out), block=1 << 15, brief=True)
    return out


def _complete(before: Floats, after: Floats) -> tuple[Floats, Floats]:
    """Put the original mean where a number is missing: a turned space has no columns of its own to leave out."""
    seen = ~np.isnan(before)
    mean = np.where(seen, before, 0.0).sum(axis=0) / np.maximum(seen.sum(axis=0), 1)
    for j, (low, high) in enumerate(map(extent, before.T)):
        if low == high:  # a constant column must stay one: whitening would blow up what rounding makes of it
            mean[j] = low
    return np.where(seen, before, mean), np.where(np.isnan(after), mean, after)


def _subsets(names: tuple[str, ...], size: int) -> list[tuple[str, ...]]:
    """All subsets, or a fixed choice of them when there are very many."""
    if comb(len(names), size) <= MOST_SUBSETS:
        return list(combinations(names, size))
    rng = np.random.default_rng(size)
    chosen = {tuple(sorted(rng.choice(len(names), size, replace=False))) for _ in range(MOST_SUBSETS)}
    return [tuple(names[j] for j in some) for some in sorted(chosen)]
