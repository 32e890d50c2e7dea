"""Undo rank swapping: a swapped value moves at most `reach` ranks, so the original lies in all windows at once.

Nin, Herranz and Torra (2008) showed that an intruder who knows the swap range intersects the candidates of each
variable. Ties are treated conservatively: a value that occurs several times could have any of their ranks, so the truth
is never excluded.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.jit import jit

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ANYWHERE = 1 << 40  # the last rank of a value that could have any
OUTSIDE = 8.0  # nats against a pair for each window that it violates


class RankSpans(NamedTuple):
    """The first and last rank that each value of a file could have: n × m; ties share them."""

    first: Ints
    last: Ints


class Windows(NamedTuple):
    """The result of intersecting the windows for each masked record."""

    size: Ints  # candidates
    holds_truth: NDArray[np.bool_]
    nearest: Floats  # probability that the candidate nearest in ranks is the truth
    chance: Floats  # probability that a random candidate is the truth


def rank_spans(values: Floats, blur: float = 0.0, share: float = 0.0) -> RankSpans:
    """Rank every column from 0, smallest first; a missing value could have any rank.

    Values may be off by `blur` plus a `share` of themselves, up or down.
    """
    first, last = np.zeros(values.shape, dtype=np.int64), np.full(values.shape, ANYWHERE, dtype=np.int64)
    for j, column in enumerate(values.T):
        seen = ~np.isnan(column)
        column = column[seen]
        ordered, wrong = np.sort(column), blur + share * np.abs(column)
        first[seen, j] = np.searchsorted(ordered, column - wrong, side="left")
        last[seen, j] = np.searchsorted(ordered, column + wrong, side="right") - 1
    return RankSpans(first, last)


def stretched(spans: RankSpans, factor: float) -> RankSpans:
    """Convert ranks to a file of another length."""
    free = spans.last >= ANYWHERE
    last = np.ceil((np.where(free, 0, spans.last) + 1) * factor).astype(np.int64) - 1
    return RankSpans(np.floor(spans.first * factor).astype(np.int64), np.where(free, ANYWHERE, last))


def part_spans(
    values: Floats, part: Ints, parts: int, length: int, blur: float = 0.0, share: float = 0.0
) -> tuple[RankSpans, Ints]:
    """Rank one column within each part of the records, stretched to `length`; also returns the values in each part.

    A reach that is a share of the part then is the same number in all parts. Records in no part (-1) could have any
    rank.
    """
    spans = RankSpans(np.zeros((len(values), 1), dtype=np.int64), np.full((len(values), 1), ANYWHERE, dtype=np.int64))
    seen = ~np.isnan(values) & (part >= 0)
    mine, column = part[seen], values[seen]
    distinct, order = np.unique(column, return_inverse=True)
    width = np.int64(len(distinct) + 1)
    ordered = np.sort(mine * width + order)  # by part, then by value
    start = np.searchsorted(ordered, mine * width)
    wrong = blur + share * np.abs(column)
    low = np.searchsorted(distinct, column - wrong, side="left")
    high = np.searchsorted(distinct, column + wrong, side="right") - 1
    size = np.bincount(mine, minlength=parts)
    stretch = length / size[mine]
    first = np.searchsorted(ordered, mine * width + low, side="left") - start
    last = np.searchsorted(ordered, mine * width + high, side="right") - start
    spans.first[seen, 0] = np.floor(first * stretch)
    spans.last[seen, 0] = np.ceil(last * stretch) - 1
    return spans, size


def intersect_windows(original: RankSpans, masked: RankSpans, reach: Ints, origin: Ints) -> Windows:
    """Find, for each masked record, the originals within `reach` ranks of it on every column."""
    t = len(masked.first)
    size, truth = np.zeros(t, dtype=np.int64), np.zeros(t, dtype=bool)
    nearest = np.zeros(t)

    def work(start: int, stop: int) -> None:
        span = slice(start, stop)
        part = RankSpans(masked.first[span], masked.last[span])
        _intersect(original, part, reach, origin[span], size[span], truth[span], nearest[span])

    over_blocks(work, t, block=256)
    return Windows(size, truth, nearest, np.where(truth, 1.0 / np.maximum(size, 1), 0.0))


def scattered(windows: Windows, rows: Ints, count: int) -> Windows:
    """Put the results for some records of a file of `count` in their places; the others have no candidates."""
    size, truth = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=bool)
    nearest, chance = np.zeros(count), np.zeros(count)
    size[rows], truth[rows], nearest[rows], chance[rows] = windows
    return Windows(size, truth, nearest, chance)


def window_pairs(original: RankSpans, masked: RankSpans, reach: Ints, sizes: Ints) -> tuple[Ints, Ints, Floats]:
    """List the pairs of masked and original rows that all windows allow, with the negative squared rank gap.

    `sizes` has the number of originals for each masked row, as `intersect_windows` counts them.
    """
    ends = np.cumsum(sizes)
    columns, weight = np.empty(sizes.sum(), dtype=np.int64), np.empty(sizes.sum())

    def work(start: int, stop: int) -> None:
        span = slice(ends[start] - sizes[start], ends[stop - 1])
        part = RankSpans(masked.first[start:stop], masked.last[start:stop])
        _list_pairs(original, part, reach, columns[span], weight[span])

    over_blocks(work, len(sizes), block=256)
    return np.repeat(np.arange(len(sizes)), sizes), columns, weight


def window_scores(original: RankSpans, masked: RankSpans, reach: Ints) -> Floats:
    """Masked × original records: 0 for a pair that all windows allow, less for each window that it violates."""
    scores = np.zeros((len(masked.first), len(original.first)))

    def work(start: int, stop: int) -> None:
        _score_windows(
            original, RankSpans(masked.first[start:stop], masked.last[start:stop]), reach, scores[start:stop]
        )

    over_blocks(work, len(scores), block=256)
    return scores


@jit
def _score_windows(original: RankSpans, masked: RankSpans, reach: Ints, scores: Floats) -> None:
    for i in range(len(scores)):
        for j in range(scores.shape[1]):
            for f in range(len(reach)):
                first, last = original.first[j, f], original.last[j, f]
                if last >= ANYWHERE or masked.last[i, f] >= ANYWHERE:
                    continue
                if first - masked.last[i, f] > reach[f] or masked.first[i, f] - last > reach[f]:
                    scores[i, j] -= OUTSIDE


@jit
def _rank_gap(original: RankSpans, masked: RankSpans, reach: Ints, j: int, i: int) -> float:
    """Squared distance of mid-ranks in units of the reach, or -1 if a window excludes the pair."""
    total = 0.0
    for f in range(len(reach)):
        first, last = original.first[j, f], original.last[j, f]
        if last >= ANYWHERE or masked.last[i, f] >= ANYWHERE:
            continue
        if first - masked.last[i, f] > reach[f] or masked.first[i, f] - last > reach[f]:
            return -1.0
        gap = 0.5 * (first + last - masked.first[i, f] - masked.last[i, f]) / (reach[f] + 1.0)
        total += gap * gap
    return total


@jit
def _intersect(
    original: RankSpans,
    masked: RankSpans,
    reach: Ints,
    origin: Ints,
    size: Ints,
    truth: NDArray[np.bool_],
    nearest: Floats,
) -> None:
    for i in range(len(origin)):
        best, ties, own = np.inf, 0, -1.0
        for j in range(len(original.first)):
            gap = _rank_gap(original, masked, reach, j, i)
            if gap < 0.0:
                continue
            size[i] += 1
            if gap < best * (1 - 1e-12):
                best, ties = gap, 1
            elif gap <= best * (1 + 1e-12):
                ties += 1
            if j == origin[i]:
                own = gap
        truth[i] = own >= 0.0
        if own >= 0.0 and own <= best * (1 + 1e-12):
            nearest[i] = 1.0 / ties


@jit
def _list_pairs(original: RankSpans, masked: RankSpans, reach: Ints, columns: Ints, weight: Floats) -> None:
    place = 0
    for i in range(len(masked.first)):
        for j in range(len(original.first)):
            gap = _rank_gap(original, masked, reach, j, i)
            if gap >= 0.0:
                columns[place], weight[place] = j, -gap
                place += 1
