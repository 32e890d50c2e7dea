"""Count the cells of a key: how many records share the same combination of codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.hashing import number_keys, number_small_keys
from ammg.kernels.jit import jit

_MOST_KEYS = 2**62  # combinations that one 64-bit number can distinguish
_DENSE_SLOTS_PER_RECORD = 16  # up to this many, an array of all combinations is faster than a hash table
_FIRST_CAPACITY = 1 << 14
_FEW = 2048  # up to this many records, numpy is faster than compiling a kernel


@dataclass(frozen=True)
class Cells:
    """The non-empty cells of a key, numbered in the order in which they appear in the file.

    `index` gives the cell of each record, `first` the record that appears first in each cell and `counts` the
    sample frequency of each cell.
    """

    index: NDArray[np.int32]
    first: NDArray[np.int64]
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return self.counts.size

    @cached_property
    def frequencies(self) -> NDArray[np.int64]:
        """How many records share the cell of each record, itself included (f_k)."""
        return self.counts[self.index]

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum of `values` in each cell; with survey weights, the estimated population frequency (F_k)."""
        return np.asarray(np.bincount(self.index, weights=values, minlength=len(self)), np.float64)

    def members(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Records in the order of their cells, and where each cell starts in that order (one entry more than cells)."""
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.counts)])
        return _members(self.index, starts), starts


def count_cells(codes: Sequence[NDArray[np.int32]], sizes: Sequence[int], n: int | None = None) -> Cells:
    """Count the records in every combination of codes that occurs.

    Args:
        codes: One array per key, each with codes 0 .. size-1; -1 (missing) counts as a category of its own.
        sizes: The number of categories of each key.
        n: The number of records; needed only without keys, when all records share one cell.
    """
    if len(codes) != len(sizes):
        raise ValueError(f"There are {len(codes)} keys but {len(sizes)} sizes.")
    if not codes:
        n = n or 0
        index = np.zeros(n, np.int32)
        return Cells(index, np.zeros(min(n, 1), np.int64), np.full(min(n, 1), n, np.int64))
    keys, bound = combine_codes(codes, sizes)
    return group_keys(keys, bound)


def group_keys(keys: NDArray[np.int64], bound: int) -> Cells:
    """The cells of records with one number each, 0 .. bound-1."""
    if keys.size <= _FEW:
        return _group_few_keys(keys)
    if bound <= max(_DENSE_SLOTS_PER_RECORD * keys.size, _FIRST_CAPACITY):
        index, first = number_small_keys(keys, bound)
    else:
        index, first = number_keys(keys, _FIRST_CAPACITY)
    return Cells(index, first, np.bincount(index, minlength=first.size))


def _group_few_keys(keys: NDArray[np.int64]) -> Cells:
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty(order.size, np.int32)
    number[order] = np.arange(order.size, dtype=np.int32)
    index = number[place]
    return Cells(index, first[order], np.bincount(index, minlength=first.size))


def combine_codes(codes: Sequence[NDArray[np.int32]], sizes: Sequence[int]) -> tuple[NDArray[np.int64], int]:
    """One number per record, equal for equal combinations, and an upper bound of these numbers.

    Mixed radix, the first key most significant; a key with missing values has one more category. If the product of the
    sizes exceeds 62 bits, the combinations so far are first replaced by the number of their cell.
    """
    keys = np.zeros(codes[0].size, np.int64)
    bound = 1
    for column, size in zip(codes, sizes, strict=True):
        missing = int(column.size > 0 and column.min() < 0)
        radix = max(1, size + missing)
        if bound * radix > _MOST_KEYS:
            cells = group_keys(keys, bound)
            keys, bound = cells.index.astype(np.int64), len(cells)
        _append(keys, column, radix, missing)
        bound *= radix
    return keys, bound


def ordered_keys(codes: Sequence[NDArray[np.int32]], n: int) -> tuple[NDArray[np.int64], int]:
    """As `combine_codes`, but in the lexicographic order of the combinations, missing first."""
    keys = np.zeros(n, np.int64)
    bound = 1
    for column in codes:
        radix = int(column.max(initial=-1)) + 2
        if bound * radix > _MOST_KEYS:
            distinct, keys = np.unique(keys, return_inverse=True)
            bound = len(distinct)
        _append(keys, column, radix, 1)
        bound *= radix
    return keys, bound


def _append(keys: NDArray[np.int64], column: NDArray[np.int32], radix: int, shift: int) -> None:
    if keys.size > _FEW:
        _append_digit(keys, column, radix, shift)
        return
    keys *= radix
    keys += column
    keys += shift


@jit
def _append_digit(keys: NDArray[np.int64], column: NDArray[np.int32], radix: int, shift: int) -> None:
    """Append one more column of codes to numbers of mixed radix, in place."""
    for i in range(keys.size):
        keys[i] = keys[i] * radix + column[i] + shift


@jit
def _members(index: NDArray[np.int32], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    place = starts[:-1].copy()
    order = np.empty(index.size, np.int64)
    for i in range(index.size):
        order[place[index[i]]] = i
        place[index[i]] += 1
    return order
