"""Groups of similar records for local recoding: from the microaggregation search or Mondrian, then refined."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.grouping.microaggregate import microaggregation_groups
from ammg.kernels.grouping.mixed_records import Records
from ammg.kernels.grouping.neighbour_lists import neighbour_lists
from ammg.kernels.recoding.class_search import search_classes
from ammg.kernels.recoding.key_spans import KeySpans, lost_in
from ammg.kernels.recoding.mondrian import mondrian_groups

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_LIST = 16
_MOVES = 4e8  # comparisons of values after which the search ends by default: a few seconds


def similar_groups(keys: KeySpans, k: int, rng: np.random.Generator, moves: int | None = None) -> Ints:
    """Group of each row, which is one record: k to 2k-1 in each, one group if there are fewer than 2k records.

    The search starts from the groups of microaggregation or those of Mondrian, split further, whichever lose less; so
    its groups never lose more than those of Mondrian.
    """
    n = len(keys.numbers)
    if n < 2 * k:
        return np.zeros(n, np.int64)
    ones = np.ones(n, np.int64)
    records = _as_records(keys)
    steps = default_moves(keys, k) if moves is None else moves
    starts = [
        _cut_to_size(mondrian_groups(keys, ones, k), k),
        microaggregation_groups(records, k, rng, min(steps, 20 * n // k)),
    ]
    best = min(starts, key=lambda group: float(lost_in(keys, group, ones).sum()))
    return search_classes(keys, best, k, neighbour_lists(records, _LIST, rng), rng, steps)


def default_moves(keys: KeySpans, k: int) -> int:
    """Moves for a few seconds, at most a few hundred per record and at least five."""
    n = len(keys.numbers)
    values = keys.numbers.shape[1] + keys.classes.shape[1] * 2
    return int(max(min(400 * n, _MOVES / (3.0 * k * k * max(1, values))), 5 * n))


def _as_records(keys: KeySpans) -> Records:
    """Rows as points whose squared distances are the squared losses of a group of two in each key."""
    n, trees, levels = keys.classes.shape
    columns = [keys.numbers]
    mismatch = [np.zeros(keys.numbers.shape[1])]
    for t in range(trees):
        below = 0.0
        known = keys.classes[keys.classes[:, t, 0] >= 0, t]
        for level in range(levels - 1 if len(known) else 0):
            above = float(keys.losses[keys.starts[t, level + 1] + known[:, level + 1]].mean())
            step = max(0.0, above**2 - below**2)
            below = max(below, above)
            if step > 0.0:
                codes = keys.classes[:, t, level].astype(np.float64)
                columns.append(np.where(codes < 0, np.nan, codes)[:, None])
                mismatch.append(np.array([step]))
    values = np.ascontiguousarray(np.concatenate(columns, axis=1)) if n else np.zeros((0, 1))
    weights = np.concatenate(mismatch)
    return Records(values, weights, not weights.any() and not bool(np.isnan(values).any()))


def _cut_to_size(group: Ints, k: int) -> Ints:
    """Groups of k to 2k-1 records, split from larger ones in the order of the rows: a part never loses more."""
    order = np.argsort(group, kind="stable")
    sizes = np.bincount(group)
    place = np.arange(len(group)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    within = np.minimum(place // k, np.repeat(np.maximum(sizes // k, 1) - 1, sizes))
    found = np.empty(len(group), np.int64)
    found[order] = np.unique(np.stack([group[order], within], axis=1), axis=0, return_inverse=True)[1].reshape(-1)
    return found
