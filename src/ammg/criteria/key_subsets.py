"""How well each subset of keys distinguishes records: distinction and separation (Motwani and Xu 2007)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.anonymity.key_table import KeyTable, key_table


@dataclass(frozen=True)
class KeySubset:
    """A set of keys (positions), the share of distinct combinations and the share of separated pairs."""

    keys: tuple[int, ...]
    distinction: float
    separation: float


def rank_key_subsets(
    codes: Sequence[NDArray[np.int32]], sizes: Sequence[int], largest: int | None = None
) -> list[KeySubset]:
    """Distinction and separation of every subset of at most `largest` keys, small subsets first.

    Distinction is the number of distinct combinations over the number of records; separation is the share of pairs
    of records that differ on at least one key of the subset.
    """
    table, _ = key_table(codes, sizes)
    largest = len(codes) if largest is None else largest
    return [
        _describe(table, keys)
        for size in range(1, min(largest, len(codes)) + 1)
        for keys in combinations(range(len(codes)), size)
    ]


def describe_subset(codes: Sequence[NDArray[np.int32]], sizes: Sequence[int]) -> KeySubset:
    """Distinction and separation of all keys together."""
    table, _ = key_table(codes, sizes)
    return _describe(table, tuple(range(len(codes))))


def _describe(table: KeyTable, keys: tuple[int, ...]) -> KeySubset:
    margin, _ = table.margin(keys)
    n = int(margin.counts.sum())
    if n < 2:
        return KeySubset(keys, float(n), 0.0)
    together = float(np.sum(margin.counts * (margin.counts - 1.0)))
    return KeySubset(keys, len(margin) / n, 1.0 - together / (n * (n - 1.0)))
