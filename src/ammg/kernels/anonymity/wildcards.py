"""Count matching records if a missing value matches every value."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.anonymity.cells import Cells, count_cells
from ammg.kernels.hashing import EMPTY, mix
from ammg.kernels.jit import jit

_MOST_KEYS = 62  # a pattern of missing values has one bit per key


def count_matches(
    codes: Sequence[NDArray[np.int32]],
    sizes: Sequence[int],
    weights: NDArray[np.float64] | None = None,
    doubtful: float = 1.0,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sample and population frequency of every record; a missing value (-1) is compatible with any value.

    Record j adds 1 (and its weight) to record i if they agree on every key that both have. If j lacks a key that i has,
    the match is doubtful and adds only `doubtful`: 1 counts it in full, 0 not at all (the parameter alpha of sdcMicro's
    freqCalc; Templ, Kowarik and Meindl 2015, section 4.1).

    Works on distinct cells, grouped by pattern of missing values: for every pair of patterns the cells of the smaller
    one are hashed on the keys both have, and the cells of the other looked up.

    Returns:
        f, the frequency in the sample, and F, the sum of weights (f again without weights).
    """
    if len(codes) > _MOST_KEYS:
        raise ValueError(f"Missing values can match every value on at most {_MOST_KEYS} keys; there are {len(codes)}.")
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
    """The mass of the cells that each cell matches; cells are sorted by pattern, and `starts` are their starts."""
    hashes, sums_of_hashes = _hash_values(values)
    total = masses.copy()  # within its pattern a cell matches only itself
    for one in range(patterns.size):
        for two in range(one):
            few, many = (one, two) if starts[one + 1] - starts[one] < starts[two + 1] - starts[two] else (two, one)
            common = patterns[few] & patterns[many]
            # NOTE: a match is doubtful exactly if the other record lacks a key that this one has
            to_few = 1.0 if common == patterns[few] else doubtful
            to_many = 1.0 if common == patterns[many] else doubtful
            if to_few == 0.0 and to_many == 0.0:
                continue
            keys = _positions(common, values.shape[1])
            dropped = _positions(patterns[few] & ~common, values.shape[1])
            begin, end = starts[few], starts[few + 1]
            capacity = 16
            while capacity < 2 * (end - begin):
                capacity *= 2
            slots = np.full(capacity, EMPTY, np.int64)
            group = np.empty(end - begin, np.int64)
            given = np.zeros((end - begin, 2))
            received = np.zeros((end - begin, 2))
            for i in range(begin, end):
                slot = _find(values, hashes, sums_of_hashes, i, keys, dropped, slots)
                if slots[slot] == EMPTY:
                    slots[slot] = i
                group[i - begin] = slots[slot] - begin
                given[slots[slot] - begin] += masses[i]
            dropped = _positions(patterns[many] & ~common, values.shape[1])
            for i in range(starts[many], starts[many + 1]):
                found = slots[_find(values, hashes, sums_of_hashes, i, keys, dropped, slots)]
                if found != EMPTY:
                    for side in range(2):
                        received[found - begin, side] += masses[i, side]
                        total[i, side] += to_many * given[found - begin, side]
            for i in range(begin, end):
                for side in range(2):
                    total[i, side] += to_few * received[group[i - begin], side]
    return total


@jit
def _hash_values(values: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A hash of each observed value, and their sum over the keys of each cell (Zobrist 1970).

    The hash of a cell on fewer keys is the sum minus the hashes of the omitted keys, which are few.
    """
    hashes = np.empty(values.shape, np.int64)
    sums = np.zeros(values.shape[0], np.int64)
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            hashes[i, j] = np.int64(mix(np.int64(values[i, j]) * 64 + j + 1))
            if values[i, j] >= 0:
                sums[i] += hashes[i, j]
    return hashes, sums


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
def _find(
    values: NDArray[np.int32],
    hashes: NDArray[np.int64],
    sums_of_hashes: NDArray[np.int64],
    i: int,
    keys: NDArray[np.int64],
    dropped: NDArray[np.int64],
    slots: NDArray[np.int64],
) -> np.int64:
    """The slot of a cell equal to cell i on `keys`, or the empty slot where it belongs."""
    code = sums_of_hashes[i]
    for j in dropped:
        code -= hashes[i, j]
    mask = np.int64(slots.size - 1)
    slot: np.int64 = code & mask
    while slots[slot] != EMPTY:
        other = slots[slot]
        same = True
        for j in keys:
            if values[i, j] != values[other, j]:
                same = False
                break
        if same:
            break
        slot = (slot + 1) & mask
    return slot
