"""Count matching records when a missing value matches everything."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.cells import Cells, count_cells
from ammg.kernels.hashing import EMPTY, mix
from ammg.kernels.jit import jit

_MOST_KEYS = 62  # a pattern of missing values is one bit per key
_DIGIT = np.int64(0x9E3779B97F4A7C1)  # odd: codes of different keys do not cancel in the hash


def count_matches(
    codes: Sequence[NDArray[np.int32]],
    sizes: Sequence[int],
    weights: NDArray[np.float64] | None = None,
    doubtful: float = 1.0,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sample and population frequency of every record, a missing value (-1) being compatible with any value.

    Record j adds 1 (and its weight) to record i when they agree on every key that both have. Where j lacks a key that
    i has, the match is doubtful and adds only `doubtful`: 1 counts it in full, 0 not at all (the parameter alpha of
    sdcMicro's freqCalc; Templ, Kowarik and Meindl 2015, section 4.1).

    Works on distinct cells, grouped by pattern of missing values: for every pair of patterns the cells of one are
    hashed on the keys both have and the cells of the other looked up.

    Returns:
        f, the frequency in the sample, and F, the sum of weights (f again without weights).
    """
    if len(codes) > _MOST_KEYS:
        raise ValueError(f"Missing values can match everything on at most {_MOST_KEYS} keys; there are {len(codes)}.")
    cells = count_cells(codes, sizes)
    masses = np.empty((len(cells), 2))
    masses[:, 0] = cells.counts
    masses[:, 1] = cells.counts if weights is None else cells.sums(weights)
    if any(column.size and column.min() < 0 for column in codes):
        masses = _add_matches(codes, cells, masses, doubtful)
    return masses[cells.index, 0], masses[cells.index, 1]


def _add_matches(
    codes: Sequence[NDArray[np.int32]], cells: Cells, masses: NDArray[np.float64], doubtful: float
) -> NDArray[np.float64]:
    values = np.stack([column[cells.first] for column in codes], axis=1)
    observed = (values >= 0) @ (np.int64(1) << np.arange(len(codes), dtype=np.int64))
    patterns, group = np.unique(observed, return_inverse=True)
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(patterns.size + 1))
    total = np.zeros_like(masses)
    total[order] = _match_patterns(values[order], masses[order], patterns, starts, doubtful)
    return total


@jit
def _match_patterns(
    values: NDArray[np.int32],
    masses: NDArray[np.float64],
    patterns: NDArray[np.int64],
    starts: NDArray[np.int64],
    doubtful: float,
) -> NDArray[np.float64]:
    """For every cell the mass of the cells it matches; cells come sorted by pattern, `starts` says where."""
    total = np.zeros_like(masses)
    for mine in range(patterns.size):
        begin, end = starts[mine], starts[mine + 1]
        capacity = 16
        while capacity < 2 * (end - begin):
            capacity *= 2
        slots = np.empty(capacity, np.int64)
        group = np.empty(end - begin, np.int64)
        sums = np.empty((end - begin, 2))
        done = np.zeros(patterns.size, np.bool_)
        for other in range(patterns.size):
            if done[other]:
                continue
            # all patterns that share the same keys with mine are looked up in one table
            common = patterns[mine] & patterns[other]
            keys = _positions(common, values.shape[1])
            _group_cells(values, begin, end, keys, slots, group)
            sums[:] = 0.0
            for third in range(other, patterns.size):
                if patterns[mine] & patterns[third] == common:
                    done[third] = True
                    _add_masses(values, masses, starts[third], starts[third + 1], keys, slots, begin, sums)
            # NOTE: the match is doubtful exactly when the other record lacks a key that mine has
            share = 1.0 if common == patterns[mine] else doubtful
            for i in range(begin, end):
                total[i, 0] += share * sums[group[i - begin], 0]
                total[i, 1] += share * sums[group[i - begin], 1]
    return total


@jit
def _positions(bits: int, width: int) -> NDArray[np.int64]:
    positions = np.empty(width, np.int64)
    found = 0
    for j in range(width):
        if (bits >> j) & 1:
            positions[found] = j
            found += 1
    return positions[:found]


@jit
def _group_cells(
    values: NDArray[np.int32],
    begin: int,
    end: int,
    keys: NDArray[np.int64],
    slots: NDArray[np.int64],
    group: NDArray[np.int64],
) -> None:
    slots[:] = EMPTY
    for i in range(begin, end):
        slot = _find(values, i, keys, slots)
        if slots[slot] == EMPTY:
            slots[slot] = i
        group[i - begin] = slots[slot] - begin


@jit
def _add_masses(
    values: NDArray[np.int32],
    masses: NDArray[np.float64],
    start: int,
    stop: int,
    keys: NDArray[np.int64],
    slots: NDArray[np.int64],
    begin: int,
    sums: NDArray[np.float64],
) -> None:
    for i in range(start, stop):
        found = slots[_find(values, i, keys, slots)]
        if found != EMPTY:
            sums[found - begin, 0] += masses[i, 0]
            sums[found - begin, 1] += masses[i, 1]


@jit
def _find(values: NDArray[np.int32], i: int, keys: NDArray[np.int64], slots: NDArray[np.int64]) -> np.int64:
    """The slot of a cell equal to cell i on `keys`, or the empty slot where it belongs."""
    code = np.int64(0)
    for j in keys:
        code = (code + values[i, j] + 1) * _DIGIT
    mask = np.uint64(slots.size - 1)
    slot = np.int64(mix(code) & mask)
    while slots[slot] != EMPTY:
        other = slots[slot]
        same = True
        for j in keys:
            if values[i, j] != values[other, j]:
                same = False
                break
        if same:
            break
        slot = np.int64((np.uint64(slot) + np.uint64(1)) & mask)
    return slot
