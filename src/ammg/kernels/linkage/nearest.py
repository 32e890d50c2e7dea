"""Nearest-record linkage: whether a masked record is nearest to its own original, and how many are as near.

Distance-based record linkage (Pagliuca and Seri 1999; Mateo-Sanz, Sebé and Domingo-Ferrer 2004, section 3.2), exact,
with ties counted as fractions. Only records nearer than the truth must be counted, so the search from each masked
record is bounded by the distance to its own original and stops once enough nearer records are found. Equal original
records are merged first: files with many zeros or duplicates cost no more than others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ammg.kernels.blocks import in_rows, over_blocks, rows_of
from ammg.kernels.columns import extent
from ammg.kernels.every_pair import budget, count_nearer, is_leaf, leaf, truth_distances, two_smallest, tying
from ammg.kernels.kd_tree import ABSOLUTE, MISMATCH, SQUARED, Floats, Ints, KdTree, are_plain, build, stack_of
from ammg.kernels.orders import equal_rows, first_rows, lexical_order, stable_order
from ammg.kernels.threads import in_threads
from ammg.kernels.tree_search import count_nearer_points, find_cheapest, find_least

BLOCK = 512  # searches at a time
_FEW = 1000
_MANY = 1 << 16  # points of a tree that is larger than the second-level cache
ROUNDING = 1e-12  # of the largest coordinate: differences below it are rounding errors of the standardisation


class TruthRank(NamedTuple):
    """The rank of the true original among all originals, by distance from each masked record."""

    nearer: Ints  # originals nearer than the truth; counting stops at `depth`
    tied: Ints  # originals as near as the truth, itself included; 0 where nearer >= depth or there is no truth


def nearest_credit(
    original: npt.ArrayLike,
    masked: npt.ArrayLike,
    origin: npt.ArrayLike,
    *,
    kinds: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
) -> Floats:
    """Probability that linking each masked record to a nearest original finds its own: 1/c among c tied, else 0.

    `original` and `masked` have the same columns in a common space (standardised, whitened, …); `origin[i]` is the row
    of `original` from which masked row i came, or -1. `kinds` gives the distance of each column (by default
    `kd_tree.SQUARED` for all), `weights` the cost of a mismatch in it (1). NaN is missing: distances then use the
    available columns, scaled up.
    """
    ranks = rank_truth(original, masked, origin, depth=1, kinds=kinds, weights=weights)
    return credit(ranks)


def credit(ranks: TruthRank, position: int = 1) -> Floats:
    """Probability that the truth is at `position` (1 nearest, 2 second nearest, …), with ties in random order.

    The ranks must have been computed with `depth` >= `position`.
    """
    chance = np.zeros(len(ranks.tied))

    def work(start: int, stop: int) -> None:
        nearer, tied = ranks.nearer[start:stop], ranks.tied[start:stop]
        holds = (nearer < position) & (position <= nearer + tied)
        np.divide(1.0, tied, out=chance[start:stop], where=holds)

    over_blocks(work, len(chance), block=1 << 16, brief=True)
    return chance


def rank_truth(
    original: npt.ArrayLike,
    masked: npt.ArrayLike,
    origin: npt.ArrayLike,
    *,
    depth: int = 2,
    kinds: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
    tolerance: float = 1e-9,
    tree: KdTree | None = None,
    second: Floats | None = None,
    copies: Ints | None = None,
) -> TruthRank:
    """Count the originals nearer than, and as near as, the true one of each masked record.

    Distances equal within the relative `tolerance` are ties: the centroid of two records is equally near to both,
    despite rounding. Counting stops at `depth` nearer records. `tree` is the result of `tree_of`, if it is available,
    `copies` that of `number_copies` for the masked records, and `second` the distance of the second nearest original: a
    truth beyond it needs no search for up to two places.
    """
    points, records = _rows(original), _rows(masked)
    truth = np.asarray(origin, dtype=np.int64)
    kind, weight = _columns(kinds, weights, points.shape[1])
    tells = _can_match(points, records, kind)
    if tree is None or not tells.all():
        points, records, kind, weight = _rows(points[:, tells]), _rows(records[:, tells]), kind[tells], weight[tells]
        tree, second, copies = tree_of(points, kind, weight, len(records)), None, None
    beyond = np.full(len(records), np.inf) if second is None or depth > 2 else second
    slack = ROUNDING * _largest(points, kind == SQUARED)
    flat = ROUNDING * _largest(points, kind == ABSOLUTE) * np.count_nonzero(kind == ABSOLUTE)
    exact, inner, outer = np.empty((3, len(records)))

    def measure(start: int, stop: int) -> None:
        found = truth_distances(tree, points, records[start:stop], truth[start:stop])
        exact[start:stop] = found
        inner[start:stop], outer[start:stop] = tying(found, not tree.kinds.any(), tolerance, slack, flat)

    over_blocks(measure, len(records))
    shared = number_copies(records) if copies is None else copies
    if len(shared) > shared.max(initial=-1) + 1:
        shared = equal_rows([shared, exact], len(shared))
    asked = first_rows(shared)  # equal records whose truths are equally far share one search
    nearer = np.where(inner > beyond, depth, 0)[asked]
    tied = np.zeros(len(asked), dtype=np.int64)
    if is_leaf(tree):
        counted = count_nearer(tree, records[asked], inner[asked], outer[asked])
        nearer = np.minimum(np.maximum(nearer, counted[0]), depth)
        nearer[exact[asked] < 0] = depth
        tied = np.where(nearer < depth, counted[1], 0)
    else:
        upto = np.concatenate([[0], np.cumsum(tree.counts)])
        plain = are_plain(tree.kinds, tree.points, records)

        turn = _by_neighbours(points, tree, truth[asked]) if len(tree.rows) > _MANY else np.arange(len(asked))

        def work(start: int, stop: int) -> None:
            mine = turn[start:stop]
            span = asked[mine]
            counted = nearer[mine], np.zeros(len(mine), dtype=np.int64)
            among = plain, exact[span], inner[span], outer[span], depth
            count_nearer_points(tree, upto, records[span], *among, *counted, *stack_of(tree))
            nearer[mine], tied[mine] = counted

        over_blocks(work, len(asked), block=BLOCK)
    return TruthRank(nearer[shared], tied[shared])


def _by_neighbours(points: Floats, tree: KdTree, truth: Ints) -> Ints:
    """An order in which searches for neighbours follow each other: they look at the same nodes of the tree."""
    place = np.empty(len(tree.rows), dtype=np.int64)
    place[tree.rows] = np.arange(len(place))
    return stable_order(place[number_copies(points)[truth]])


def rank_intact(original: Floats, masked: Floats, origin: Ints) -> TruthRank | None:
    """The result of `rank_truth` if every masked record shows the values of its original; None if one does not.

    Then nobody is nearer than the truth, and equal records are as near: they are counted without a search.
    """
    is_in_order = np.array_equal(origin, np.arange(len(original)))
    for rows in (slice(1000), slice(None)):  # few records usually tell
        own = original[rows] if is_in_order else original[origin[rows]]
        if (origin[rows] < 0).any() or not np.array_equal(masked[rows], own):  # NaN equals nothing
            return None
    order, starts = runs(original)
    copies = np.diff(starts, append=len(order))
    tied = np.empty(len(order), dtype=np.int64)
    tied[order] = np.repeat(copies, copies)
    return TruthRank(np.zeros(len(origin), dtype=np.int64), tied[origin])


def two_nearest(tree: KdTree, masked: npt.ArrayLike, asked: Ints | None = None) -> Floats:
    """Distances of each masked record from the nearest and second nearest record of a tree, including copies.

    They are infinite for records that are not `asked` for: unlike `rank_truth`, this search has no bound to begin with,
    and takes several times as long.
    """
    everyone = np.asarray(masked, dtype=np.float64)
    some = np.arange(len(everyone)) if asked is None else asked
    records = _rows(everyone[some])
    order, starts = runs(records)
    sought = records[order[starts]]
    rows, distances = (
        two_smallest(tree, sought) if is_leaf(tree) else _search(tree, sought, 2, np.zeros(len(tree.rows)))
    )
    copies = np.empty(len(tree.rows), dtype=np.int64)
    copies[tree.rows] = tree.counts
    found = np.full((len(everyone), 2), np.inf)
    found[some[order]] = np.repeat(
        np.where([False, True] & (copies[rows[:, :1]] > 1), distances[:, :1], distances),
        np.diff(starts, append=len(order)),
        axis=0,
    )
    return found


def k_nearest(
    original: npt.ArrayLike,
    masked: npt.ArrayLike,
    k: int,
    *,
    kinds: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
    prices: Floats | None = None,
    within: float = np.inf,
) -> tuple[Ints, Floats]:
    """Rows of the k nearest originals of each masked record, nearest first, and their distances.

    The distance is the sum over columns (squared for `SQUARED` columns), plus the price of the original if `prices`
    (not negative) are given. Among equal originals, any may be returned; with fewer than k originals, the rest are
    row -1 at infinite distance. `within` speeds up the search: originals farther than `within` times the least distance
    may be left out.
    """
    points, records = _rows(original), _rows(masked)
    tree = build(points, np.ones(len(points), dtype=np.int64), *_columns(kinds, weights, points.shape[1]))
    return _search(tree, records, k, np.zeros(len(points)) if prices is None else prices[tree.rows], within)


def _search(tree: KdTree, records: Floats, k: int, price: Floats, within: float = np.inf) -> tuple[Ints, Floats]:
    rows = np.full((len(records), k), -1, dtype=np.int64)
    distances = np.full((len(records), k), np.inf)
    least = np.zeros(len(tree.first))
    if price.any():
        find_least(tree, price, least)
    plain = are_plain(tree.kinds, tree.points, records)

    def work(start: int, stop: int) -> None:
        span = slice(start, stop)
        find_cheapest(tree, price, least, plain, records[span], rows[span], distances[span], *stack_of(tree), within)

    over_blocks(work, len(records), block=BLOCK)
    return rows, distances


def tree_of(
    points: Floats,
    kinds: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
    searches: int | None = None,
) -> KdTree:
    """A k-d tree over the distinct rows of `points`, each with the number of its copies.

    With so few points and `searches` (of `rank_truth` and `two_nearest`) that no tree is worth compiling, it is a
    single leaf.
    """
    keep, counts = distinct_rows(points)
    distinct = rows_of(points, keep)
    chosen = _columns(kinds, weights, points.shape[1])
    if searches is not None and budget.allows(searches * distinct.size):
        return leaf(distinct, counts, *chosen)
    return build(distinct, counts, *chosen, gaps_first=searches is not None and bool(np.isnan(distinct).any()))


def distinct_rows(points: Floats) -> tuple[Ints, Ints]:
    """The first row of each distinct record in sorted order, and how often it occurs (NaN equals NaN)."""
    numbers = number_copies(points)
    return first_rows(numbers), np.bincount(numbers)


def number_copies(points: Floats) -> Ints:
    """Number the records so that equal ones, and only they, share a number."""
    return equal_rows(list(points.T), len(points))


def number_in_both(original: Floats, masked: Floats) -> tuple[Ints, Ints]:
    """Number the records of both files so that equal ones, and only they, share a number."""
    columns = in_threads(
        lambda j: np.concatenate([original[:, j], masked[:, j]]),
        range(original.shape[1]),
        original.size + masked.size,
    )
    numbers = equal_rows(columns, len(original) + len(masked))
    return numbers[: len(original)], numbers[len(original) :]


def runs(points: Floats) -> tuple[Ints, Ints]:
    """An order that brings equal rows together, and the start of each run of equal rows."""
    order, tied = lexical_order(list(points.T), len(points))
    return order, np.flatnonzero(~tied)


def _rows(values: npt.ArrayLike) -> Floats:
    return in_rows(np.asarray(values, dtype=np.float64))


def _columns(kinds: npt.ArrayLike | None, weights: npt.ArrayLike | None, count: int) -> tuple[Ints, Floats]:
    kind = np.full(count, SQUARED) if kinds is None else np.asarray(kinds)
    weight = np.ones(count) if weights is None else np.asarray(weights)
    return kind.astype(np.int64), weight.astype(np.float64)


def _can_match(points: Floats, records: Floats, kinds: Ints) -> npt.NDArray[np.bool_]:
    """Columns that distinguish originals: not codes of which the files share none, which cost every pair the same.

    If values are missing, every column counts, because distances are scaled by the columns observed.
    """
    tells = np.ones(len(kinds), dtype=np.bool_)
    codes = np.flatnonzero(kinds == MISMATCH)
    if not len(codes) or np.isnan(points).any() or np.isnan(records).any():
        return tells
    for j in codes:
        few = np.isin(records[:_FEW, j], points[:_FEW, j])  # which nearly always tell
        tells[j] = bool(few.any() or np.isin(np.unique(records[:, j]), points[:, j]).any())
    return tells


def _largest(points: Floats, chosen: npt.NDArray[np.bool_]) -> float:
    """The largest absolute value in the chosen columns; 0 if they have none."""
    parts = [points.reshape(-1)] if chosen.all() else [points[:, j] for j in np.flatnonzero(chosen)]
    ends = [extent(part) for part in parts]
    return max((max(abs(low), abs(high)) for low, high in ends if low <= high), default=0.0)
