"""Exact quantiles of a column of any length: four counting passes, without sorting."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ammg.data.block import Block
from ammg.summaries.summary import Source, Summary

_DIGIT_BITS = 16
_DIGITS = 4


Values = Callable[[Block], NDArray[np.float64]]
Prefix = tuple[int, ...]


def quantiles(source: Source, column: str, shares: Sequence[float]) -> NDArray[np.float64]:
    """Order statistics at the given shares (numpy's `inverted_cdf`) of the observed values; NaN if there are none."""
    total = int(source.fold(DigitCounts(column, ()))[()].sum())
    if total == 0:
        return np.full(len(shares), np.nan)
    return select(source, column, [min(total - 1, max(0, int(np.ceil(share * total)) - 1)) for share in shares])


def select(source: Source, column: str, ranks: Sequence[int], values: Values | None = None) -> NDArray[np.float64]:
    """The values with the given ranks (0 is the smallest) in a column, or in the result of `values` for each block.

    Floats are mapped to integers of the same order, and the digits of the wanted order statistics are found one by
    one from the left: counts add up exactly, so the result does not depend on the engine.
    """
    found: list[tuple[Prefix, int]] = [((), rank) for rank in ranks]
    for _ in range(_DIGITS):
        counts = source.fold(DigitCounts(column, tuple(sorted({prefix for prefix, _ in found})), values))
        found = [_descend(prefix, rank, counts[prefix]) for prefix, rank in found]
    return np.array([_value(prefix) for prefix, _ in found])


class DigitCounts(Summary[dict[Prefix, NDArray[np.int64]], dict[Prefix, NDArray[np.int64]]]):
    """For each prefix, how often each 16-bit digit follows it in the sortable form of the values."""

    def __init__(self, column: str, prefixes: tuple[Prefix, ...], values: Values | None = None) -> None:
        self.columns = () if values else (column,)
        self.prefixes = prefixes or ((),)
        self.values = values

    def add(self, block: Block) -> dict[Prefix, NDArray[np.int64]]:
        """Digit counts of a chunk."""
        values = self.values(block) if self.values else block.numbers(self.columns[0])
        keys = _sortable(values[~np.isnan(values)])
        out = {}
        for prefix in self.prefixes:
            depth = len(prefix)
            chosen = keys
            if depth:
                wanted = np.uint64(sum(d << (_DIGIT_BITS * (depth - 1 - i)) for i, d in enumerate(prefix)))
                chosen = keys[(keys >> np.uint64(_DIGIT_BITS * (_DIGITS - depth))) == wanted]
            digits = (chosen >> np.uint64(_DIGIT_BITS * (_DIGITS - depth - 1))) & np.uint64(0xFFFF)
            out[prefix] = np.bincount(digits.astype(np.int64), minlength=1 << _DIGIT_BITS)
        return out

    def merge(
        self, left: dict[Prefix, NDArray[np.int64]], right: dict[Prefix, NDArray[np.int64]]
    ) -> dict[Prefix, NDArray[np.int64]]:
        """Counts add."""
        return {prefix: left[prefix] + right[prefix] for prefix in left}

    def finish(self, state: dict[Prefix, NDArray[np.int64]] | None) -> dict[Prefix, NDArray[np.int64]]:
        """The counts themselves."""
        return state or {prefix: np.zeros(1 << _DIGIT_BITS, dtype=np.int64) for prefix in self.prefixes}


def _descend(prefix: Prefix, rank: int, counts: NDArray[np.int64]) -> tuple[Prefix, int]:
    cumulated = np.cumsum(counts)
    digit = int(np.searchsorted(cumulated, rank, side="right"))
    before = int(cumulated[digit - 1]) if digit else 0
    return (*prefix, digit), rank - before


def _sortable(values: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Unsigned integers in the order of the floats: flip the sign bit, and all bits of negative numbers."""
    bits = (values + 0.0).view(np.uint64)  # adding zero makes -0.0 equal to 0.0
    negative = bits >> np.uint64(63) == 1
    return np.where(negative, ~bits, bits | np.uint64(1 << 63))


def _value(digits: Prefix) -> float:
    key = np.uint64(sum(d << (_DIGIT_BITS * (_DIGITS - 1 - i)) for i, d in enumerate(digits)))
    bits = key & np.uint64((1 << 63) - 1) if key >> np.uint64(63) else ~key
    return float(np.array([bits], dtype=np.uint64).view(np.float64)[0])
