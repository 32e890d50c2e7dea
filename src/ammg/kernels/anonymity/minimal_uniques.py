"""Find minimal sample uniques: subsets of keys on which a record is unique, but not on any smaller subset."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.anonymity.cells import combine_codes
from ammg.kernels.anonymity.key_table import KeyTable
from ammg.kernels.hashing import mix
from ammg.kernels.jit import jit

_MOST_COMBINATIONS = 2**62
_DENSE_SLOTS = 1 << 22  # size of a table with one byte per combination that fits into the cache
_SLOTS_PER_CELL = 4


def find_minimal_uniques(table: KeyTable, largest: int) -> Iterator[tuple[tuple[int, ...], NDArray[np.int64]]]:
    """For each subset of keys, small ones first, the cells that are minimally unique on it, if any.

    A missing value distinguishes nobody: a cell with a missing value is never unique on a subset that contains it, and
    does not make other cells less unique there.

    Sizes are processed in ascending order: a record that is unique on a subset is not a minimal unique of a larger one,
    and cannot prevent others from being one, so it is left out there.
    """
    order = np.argsort(table.counts > 1, kind="stable")  # cells of one record, which alone can be unique, come first
    uniques = int(np.count_nonzero(table.counts == 1))
    codes = np.stack([column[order] for column in table.codes])
    missing = codes.min(axis=1, initial=0) < 0
    sizes = np.array(table.sizes, np.int64) + missing
    codes += missing[:, None].astype(np.int32)
    settled: dict[tuple[int, ...], NDArray[np.uint8]] = {}
    for size in range(1, largest + 1):
        found: dict[tuple[int, ...], NDArray[np.uint8]] = {}
        for keys in combinations(range(len(sizes)), size):
            smaller = [settled[rest] for j in range(size) if (rest := keys[:j] + keys[j + 1 :]) in settled]
            done = _union(smaller, uniques)
            alone = _alone(codes, sizes, np.array(keys), done)
            for key in keys:
                if missing[key]:
                    alone = alone[codes[key, alone] > 0]
            if alone.size:
                done[alone] = True
                yield keys, order[alone]
            if alone.size or smaller:
                found[keys] = np.packbits(done)
        settled = found


def _union(packed: list[NDArray[np.uint8]], uniques: int) -> NDArray[np.bool_]:
    if not packed:
        return np.zeros(uniques, np.bool_)
    together = packed[0]
    for more in packed[1:]:
        together = together | more
    return np.unpackbits(together, count=uniques).view(np.bool_)


def _alone(
    codes: NDArray[np.int32], sizes: NDArray[np.int64], keys: NDArray[np.int64], done: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Open cells that share the keys with no other cell."""
    if done.all():
        return np.empty(0, np.int64)
    bound = prod(sizes[keys].tolist())
    if bound <= max(_DENSE_SLOTS, _SLOTS_PER_CELL * codes.shape[1]):
        return _count_dense(codes, sizes, keys, done, np.zeros(bound, np.uint8))
    waiting = np.concatenate([np.flatnonzero(~done), np.arange(done.size, codes.shape[1])]).astype(np.int32)
    if bound > _MOST_COMBINATIONS:
        numbers, _ = combine_codes([codes[key][waiting] for key in keys], [int(size) for size in sizes[keys]])
    else:
        numbers = _number_combinations(codes, sizes, keys, waiting)
    shared = waiting >= done.size
    unresolved = np.arange(waiting.size, dtype=np.int32)
    while unresolved.size:
        slots = 1 << int(_SLOTS_PER_CELL * unresolved.size - 1).bit_length()
        unresolved = _resolve(numbers, unresolved, shared, np.empty(slots, np.int32))
    return waiting[~shared].astype(np.int64)


@jit
def _count_dense(
    codes: NDArray[np.int32],
    sizes: NDArray[np.int64],
    keys: NDArray[np.int64],
    done: NDArray[np.bool_],
    table: NDArray[np.uint8],
) -> NDArray[np.int64]:
    """Count the open cells in a table of all combinations (none, one, more) and return those that are unique."""
    block = 4096
    numbers = np.empty(codes.shape[1], np.int32)
    for start in range(0, codes.shape[1], block):
        stop = min(codes.shape[1], start + block)
        numbers[start:stop] = 0
        for key in keys:
            size = np.int32(sizes[key])
            for i in range(start, stop):
                numbers[i] = numbers[i] * size + codes[key, i]
        for i in range(start, min(stop, done.size)):
            if not done[i]:
                table[numbers[i]] = min(table[numbers[i]] + 1, 2)
        for i in range(max(start, done.size), stop):
            table[numbers[i]] = 2
    alone = np.empty(done.size, np.int64)
    found = 0
    for i in range(done.size):
        if not done[i] and table[numbers[i]] == 1:
            alone[found] = i
            found += 1
    return alone[:found].copy()


@jit
def _number_combinations(
    codes: NDArray[np.int32], sizes: NDArray[np.int64], keys: NDArray[np.int64], cells: NDArray[np.int32]
) -> NDArray[np.int64]:
    numbers = np.zeros(cells.size, np.int64)
    for key in keys:
        size = sizes[key]
        column = codes[key]
        for i in range(cells.size):
            numbers[i] = numbers[i] * size + column[cells[i]]
    return numbers


@jit
def _resolve(
    numbers: NDArray[np.int64],
    cells: NDArray[np.int32],
    shared: NDArray[np.bool_],
    owners: NDArray[np.int32],
) -> NDArray[np.int32]:
    """Mark the cells that share their number with another one; return those that lost their slot to another number.

    The last cell written to a slot owns it. Cells with equal numbers meet in one slot, so any equal cell marks the
    owner; cells that lost the slot to another number lost it together, and are tried again among themselves.
    """
    mask = np.uint64(owners.size - 1)
    for i in cells:
        owners[np.int64(mix(numbers[i]) & mask)] = i
    lost = np.empty(cells.size, np.int32)
    count = 0
    for i in cells:
        owner = owners[np.int64(mix(numbers[i]) & mask)]
        if owner == i:
            continue
        if numbers[owner] == numbers[i]:
            shared[i] = True
            shared[owner] = True
        else:
            lost[count] = i
            count += 1
    return lost[:count].copy()
