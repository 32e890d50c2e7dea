"""The attack by windows of ranks, for all methods that keep a value's rank within published bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.kernels.rates import link_credit
from ammg.measures.attack import Attempt, best_of
from ammg.measures.intruder import Knowledge, Search, common_numbers, untouched

if TYPE_CHECKING:
    from ammg.kernels.rank_windows import RankSpans

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_LISTED = 20_000_000  # pairs that windows may leave for links one to one
ANYWHERE = np.iinfo(np.int64).max // 4


def intersect(
    pair: Pair, search: Search, reach: Mapping[str, int], strata: Mapping[str, tuple[str, ...]] | None = None
) -> Attempt:
    """Keep, for each released record, the people whose ranks are within reach and who agree on what was not changed.

    `strata` names the columns within which the ranks of a column are meant. Tries a random candidate, the one nearest
    in ranks, and links one to one, and answers with the best.
    """
    from ammg.kernels.assignment import assign_within
    from ammg.kernels.nearest import number_copies
    from ammg.kernels.rank_windows import RankSpans, intersect_windows, rank_spans, window_pairs

    moved = search.known.only(list(reach))
    before, after = rank_spans(moved.original), rank_spans(moved.masked)
    factor = pair.n / max(pair.t, 1)
    after = RankSpans(
        np.floor(after.first * factor).astype(np.int64), np.ceil((after.last + 1) * factor).astype(np.int64) - 1
    )
    windows = [reach[name] + _slack(pair) for name in reach]
    for j, name in enumerate(reach):
        if strata and strata[name]:
            windows[j] = reach[name] + 1 + _in_strata(search.known, strata[name], j, moved, before, after)
    same, shown = common_numbers(search.known.only(untouched(pair, search.known)))
    original = RankSpans(_beside(before.first, same, 0), _beside(before.last, same, ANYWHERE))
    masked = RankSpans(_beside(after.first, shown, 0), _beside(after.last, shown, ANYWHERE))
    bounds = np.array(windows + [0] * same.shape[1], dtype=np.int64)
    found = intersect_windows(original, masked, bounds, search.origin)
    ways = {"random_candidate": found.chance, "nearest_candidate": found.nearest}
    total = int(found.size.sum())
    if total <= MOST_LISTED:
        links = assign_within(*window_pairs(original, masked, bounds, total), (pair.t, pair.n)).links
        copies = number_copies(search.known.original), number_copies(search.known.masked)
        ways["one_to_one"] = link_credit(links, search.origin, *copies)
    sought = search.origin >= 0
    details = {
        "candidates": float(found.size[sought].mean()),
        "single_candidate": float((found.size[sought] == 1).mean()),
        "holds_truth": float(found.holds_truth[sought].mean()),
    }
    return best_of(ways, sought, details)


def _beside(ranks: Ints, codes: Ints, unknown: int) -> Ints:
    return np.hstack([ranks, np.where(codes < 0, unknown, codes)])


def _in_strata(
    known: Knowledge, within: tuple[str, ...], column: int, moved: Knowledge, before: RankSpans, after: RankSpans
) -> int:
    """Put ranks within strata, stretched to the length of the whole file, into the spans of a column.

    A reach that is a share of the stratum is the same number in all strata then. Returns how far ranks are blurred
    where the release has a part of a stratum's records only.
    """
    codes = np.concatenate(common_numbers(known.only(within)))
    stratum = np.unique(codes, axis=0, return_inverse=True)[1].ravel()
    people = len(known.original)
    sides = ((stratum[:people], moved.original, before), (stratum[people:], moved.masked, after))
    sizes = []
    for mine, values, spans in sides:
        seen = ~np.isnan(values[:, column])
        order = np.unique(values[seen, column], return_inverse=True)[1]
        keys = mine[seen] * np.int64(len(order) + 1) + order  # by stratum, then by value
        ordered = np.sort(keys)
        start = np.searchsorted(ordered, mine[seen] * np.int64(len(order) + 1))
        size = np.bincount(mine[seen], minlength=int(stratum.max(initial=0)) + 1)
        stretch = people / size[mine[seen]]
        spans.first[seen, column] = np.floor((np.searchsorted(ordered, keys, side="left") - start) * stretch)
        spans.last[seen, column] = np.ceil((np.searchsorted(ordered, keys, side="right") - start) * stretch) - 1
        sizes.append(size)
    both = (sizes[0] > 0) & (sizes[1] > 0)
    share = np.minimum(*sizes)[both] / np.maximum(*sizes)[both]
    blur = 1.5 * np.sqrt((1 - share) / (share * np.maximum(*sizes)[both]))  # three deviations, of the stratum's length
    return int(np.ceil(people * blur.max(initial=0.0)))


def _slack(pair: Pair) -> int:
    """Three standard deviations of a rank, when only a share of the records tells it."""
    share = min(pair.t, pair.n) / max(pair.t, pair.n, 1)
    return int(np.ceil(3 * np.sqrt(0.25 * pair.n * (1 - share) / max(share, 1e-9))))
