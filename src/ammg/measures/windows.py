"""The attack by windows of ranks, for all methods that keep a value's rank within published bounds."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.kernels.rates import link_credit
from ammg.measures.attack import Attempt, best_of
from ammg.measures.intruder import Search, common_numbers, untouched

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_LISTED = 20_000_000  # pairs that windows may leave for links one to one
ANYWHERE = np.iinfo(np.int64).max // 4


def intersect(pair: Pair, search: Search, reach: Mapping[str, int]) -> Attempt:
    """Keep, for each released record, the people whose ranks are within reach and who agree on what was not changed.

    Tries a random candidate, the one nearest in ranks, and links one to one, and answers with the best.
    """
    from ammg.kernels.assignment import assign_within
    from ammg.kernels.nearest import number_copies
    from ammg.kernels.rank_windows import RankSpans, intersect_windows, rank_spans, window_pairs

    moved = search.known.only(list(reach))
    before, after = rank_spans(moved.original), rank_spans(moved.masked)
    factor = pair.n / max(pair.t, 1)
    same, shown = common_numbers(search.known.only(untouched(pair, search.known)))
    original = RankSpans(_beside(before.first, same, 0), _beside(before.last, same, ANYWHERE))
    masked = RankSpans(
        _beside(np.floor(after.first * factor).astype(np.int64), shown, 0),
        _beside(np.ceil((after.last + 1) * factor).astype(np.int64) - 1, shown, ANYWHERE),
    )
    windows = np.array([reach[name] + _slack(pair) for name in reach] + [0] * same.shape[1], dtype=np.int64)
    found = intersect_windows(original, masked, windows, search.origin)
    ways = {"random_candidate": found.chance, "nearest_candidate": found.nearest}
    total = int(found.size.sum())
    if total <= MOST_LISTED:
        links = assign_within(*window_pairs(original, masked, windows, total), (pair.t, pair.n)).links
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


def _slack(pair: Pair) -> int:
    """Three standard deviations of a rank, when only a share of the records tells it."""
    share = min(pair.t, pair.n) / max(pair.t, pair.n, 1)
    return int(np.ceil(3 * np.sqrt(0.25 * pair.n * (1 - share) / max(share, 1e-9))))
