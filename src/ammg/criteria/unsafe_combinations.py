"""Combinations of key values that too few records share, down to categories and records (the rule of μ-ARGUS)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.anonymity.key_table import KeyTable, key_table


@dataclass(frozen=True)
class UnsafeCell:
    """The unsafe combinations of one subset of keys.

    `codes` has one row per combination, in the order of `keys`; `counts` says how many records share it and `records`
    gives one of them.
    """

    keys: tuple[int, ...]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    records: NDArray[np.int64]


@dataclass(frozen=True)
class UnsafeCombinations:
    """All unsafe combinations of the examined subsets of keys.

    `by_record[i]` is the number of unsafe combinations of record i, `by_category[key][d, code]` the number of
    dimension d+1 that contain this code of the key.
    """

    cells: list[UnsafeCell]
    by_record: NDArray[np.int32]
    by_category: list[NDArray[np.int64]]

    @property
    def total(self) -> int:
        """Number of unsafe combinations."""
        return sum(cell.counts.size for cell in self.cells)

    def by_dimension(self) -> dict[int, int]:
        """Number of unsafe combinations of one key, two keys, and so on."""
        totals: dict[int, int] = {}
        for cell in self.cells:
            totals[len(cell.keys)] = totals.get(len(cell.keys), 0) + cell.counts.size
        return totals


def find_unsafe_combinations(
    codes: Sequence[NDArray[np.int32]],
    sizes: Sequence[int],
    k: int | Sequence[int],
    subsets: Iterable[tuple[int, ...]],
) -> UnsafeCombinations:
    """Find the combinations that occur in fewer than k records.

    Combinations with a missing value are skipped, and their record does not count towards any other combination.
    The threshold of μ-ARGUS is k - 1: there a combination is unsafe up to and including the threshold.

    Args:
        codes: One array per key, -1 missing.
        sizes: The number of categories of each key.
        k: Least safe frequency, one for all dimensions or one per dimension.
        subsets: The subsets of keys to look at, see `subsets_up_to` and `subsets_by_level`.
    """
    table, records = key_table(codes, sizes)
    found = find_in_table(table, k, subsets, records.first)
    return replace(found, by_record=found.by_record[records.index])


def find_in_table(
    table: KeyTable, k: int | Sequence[int], subsets: Iterable[tuple[int, ...]], records: NDArray[np.int64]
) -> UnsafeCombinations:
    """The same for cells: `by_record` has one entry per cell, and `records` gives one record of each."""
    subsets = list(subsets)
    deepest = max((len(keys) for keys in subsets), default=0)
    limits = [k] * deepest if isinstance(k, int) else list(k)
    if len(limits) < deepest:
        raise ValueError(f"Give one k per dimension: {len(limits)} values do not fit subsets of up to {deepest} keys.")
    by_cell = np.zeros(len(table), np.int32)
    by_category = [np.zeros((deepest, size), np.int64) for size in table.sizes]
    cells = []
    for keys in subsets:
        cell, unsafe = _find(table, keys, limits[len(keys) - 1], records)
        by_cell += unsafe
        for position, key in enumerate(keys):
            by_category[key][len(keys) - 1] += np.bincount(cell.codes[:, position], minlength=table.sizes[key])
        if cell.counts.size:
            cells.append(cell)
    return UnsafeCombinations(cells, by_cell, by_category)


def subsets_up_to(keys: int, dimension: int) -> list[tuple[int, ...]]:
    """All subsets of 1 to `dimension` keys."""
    return [subset for size in range(1, min(keys, dimension) + 1) for subset in combinations(range(keys), size)]


def subsets_by_level(levels: Sequence[int]) -> list[tuple[int, ...]]:
    """The subsets required by identification levels (μ-ARGUS manual, automatic specification of tables).

    Level 1 is most identifying, 0 not identifying at all. A combination takes its first key from level 1, its second
    from levels 1-2, its third from levels 1-3, and so on up to the highest level given.
    """
    candidates = [key for key, level in enumerate(levels) if level > 0]
    return [
        subset
        for size in range(1, min(max(levels, default=0), len(candidates)) + 1)
        for subset in combinations(candidates, size)
        if all(level <= place for place, level in enumerate(sorted(levels[key] for key in subset), start=1))
    ]


def _find(
    table: KeyTable, keys: tuple[int, ...], k: int, first: NDArray[np.int64]
) -> tuple[UnsafeCell, NDArray[np.bool_]]:
    margin, cells = table.margin(keys)
    complete = np.all([column >= 0 for column in margin.codes], axis=0)
    unsafe = complete & (margin.counts < k)
    found = UnsafeCell(
        keys,
        np.stack([column[unsafe] for column in margin.codes], axis=1),
        margin.counts[unsafe],
        first[cells.first[unsafe]],
    )
    return found, unsafe[cells.index]
