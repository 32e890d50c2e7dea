"""Count matching records if a missing value matches every value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.anonymity.cells import Cells, count_cells
from ammg.kernels.hashing import EMPTY, mix
from ammg.kernels.jit import jit, jit_part
from ammg.kernels.plain import Budget, plain

_MOST_KEYS = 62  # a pattern of missing values has one bit per key

_budget = Budget(0.7)  # about what compiling takes


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
    values, masses = values[order], masses[order]
    largest = np.sort(np.diff(starts))[-2:].tolist()[0]  # of the smaller of two patterns
    slots = np.empty(max(16, 1 << (2 * largest - 1).bit_length()), np.int64)
    group, exchanged = np.empty(largest, np.int64), np.empty((2, largest, 2))
    positions = np.empty((2, len(codes)), np.int64)
    found = masses.copy()  # within its pattern a cell matches only itself
    few = _budget.allows(_match_patterns, 2.5e-6 * len(values) * patterns.size)
    match = plain(_match_patterns) if few else _match_patterns
    hashes, sums = _hash_few(values) if few else _hash(values)
    with np.errstate(over="ignore"):  # hashes overflow
        match(values, masses, hashes, sums, patterns, starts, doubtful, slots, group, exchanged, positions, found)
    total = np.empty_like(masses)
    total[order] = found
    return total


def _hash(values: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A hash of each value, and their sum over the observed keys of each cell."""
    hashes, sums = np.empty(values.shape, np.int64), np.zeros(len(values), np.int64)
    _hash_values(values, hashes, sums)
    return hashes, sums


def _hash_few(values: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """As `_hash`, without compiled code."""
    numbers: Any = values.astype(np.int64) * 64 + np.arange(1, values.shape[1] + 1)
    hashes: Any = plain(mix)(numbers).astype(np.int64)
    return hashes, np.where(values >= 0, hashes, 0).sum(axis=1)


@jit
def _match_patterns(
    values: NDArray[np.int32],
    masses: NDArray[np.float64],
    hashes: NDArray[np.int64],
    sums: NDArray[np.int64],
    patterns: NDArray[np.int64],
    starts: NDArray[np.int64],
    doubtful: float,
    slots: NDArray[np.int64],
    group: NDArray[np.int64],
    exchanged: NDArray[np.float64],
    positions: NDArray[np.int64],
    total: NDArray[np.float64],
) -> None:
    """Add the mass of the cells that each cell matches; cells are sorted by pattern, and `starts` are their starts.

    `slots`, `group`, `exchanged` and `positions` are working memory.
    """
    given, received = exchanged[0], exchanged[1]
    for one in range(patterns.size):
        for two in range(one):
            few, many = (one, two) if starts[one + 1] - starts[one] < starts[two + 1] - starts[two] else (two, one)
            common = patterns[few] & patterns[many]
            # NOTE: a match is doubtful exactly if the other record lacks a key that this one has
            to_few = 1.0 if common == patterns[few] else doubtful
            to_many = 1.0 if common == patterns[many] else doubtful
            if to_few == 0.0 and to_many == 0.0:
                continue
            begin, end = starts[few], starts[few + 1]
            capacity = 16
            while capacity < 2 * (end - begin):
                capacity *= 2
            _clear(slots, capacity, exchanged, end - begin)
            keys = _list_bits(common, positions, np.int64(0))
            dropped = _list_bits(patterns[few] & ~common, positions, np.int64(1))
            for i in range(begin, end):
                slot = _find(values, hashes, sums, i, positions, keys, dropped, slots, capacity)
                if slots[slot] == EMPTY:
                    slots[slot] = i
                group[i - begin] = slots[slot] - begin
                _add(masses, i, given, group[i - begin], np.float64(1.0))
            dropped = _list_bits(patterns[many] & ~common, positions, np.int64(1))
            for i in range(starts[many], starts[many + 1]):
                found = slots[_find(values, hashes, sums, i, positions, keys, dropped, slots, capacity)]
                if found != EMPTY:
                    _add(masses, i, received, found - begin, np.float64(1.0))
                    _add(given, found - begin, total, i, to_many)
            for i in range(begin, end):
                _add(received, group[i - begin], total, i, to_few)


@jit_part
def _clear(slots: NDArray[np.int64], capacity: int, exchanged: NDArray[np.float64], rows: int) -> None:
    for slot in range(capacity):
        slots[slot] = EMPTY
    for row in range(rows):
        for side in range(2):
            exchanged[0, row, side] = 0.0
            exchanged[1, row, side] = 0.0


@jit_part
def _add(
    source: NDArray[np.float64], row: int, target: NDArray[np.float64], place: int, share: float | np.float64
) -> None:
    """Add a share of both masses of a row to a row of the target."""
    for side in range(2):
        target[place, side] += share * source[row, side]


@jit
def _hash_values(values: NDArray[np.int32], hashes: NDArray[np.int64], sums: NDArray[np.int64]) -> None:
    """A hash of each observed value, and their sum over the keys of each cell (Zobrist 1970).

    The hash of a cell on fewer keys is the sum minus the hashes of the omitted keys, which are few.
    """
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            hashes[i, j] = np.int64(mix(np.int64(values[i, j]) * 64 + j + 1))
            if values[i, j] >= 0:
                sums[i] += hashes[i, j]


@jit_part
def _list_bits(bits: int, positions: NDArray[np.int64], row: np.int64) -> int:
    """Write the positions of the bits that are set into a row; returns their number."""
    found = 0
    for j in range(positions.shape[1]):
        if (bits >> j) & 1:
            positions[row, found] = j
            found += 1
    return found


@jit_part
def _find(
    values: NDArray[np.int32],
    hashes: NDArray[np.int64],
    sums: NDArray[np.int64],
    i: int,
    positions: NDArray[np.int64],
    keys: int,
    dropped: int,
    slots: NDArray[np.int64],
    capacity: int,
) -> np.int64:
    """The slot of a cell equal to cell i on the listed keys, or the empty slot where it belongs."""
    code = sums[i]
    for place in range(dropped):
        code -= hashes[i, positions[1, place]]
    mask = np.int64(capacity - 1)
    slot: np.int64 = code & mask
    while slots[slot] != EMPTY:
        other = slots[slot]
        same = True
        for place in range(keys):
            if values[i, positions[0, place]] != values[other, positions[0, place]]:
                same = False
                break
        if same:
            break
        slot = (slot + 1) & mask
    return slot
