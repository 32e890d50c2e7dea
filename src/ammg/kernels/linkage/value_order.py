"""An order of records by their values that does not depend on the names of categories or the order of their list.

Numbers have a natural order. Categories get one from their context: how often each occurs, then how often the
categories occur that it occurs with, as in the refinement of graphs (Weisfeiler and Leman 1968). Categories that two
rounds cannot distinguish are nearly interchangeable.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Hashes = NDArray[np.uint64]

ROUNDS = 2
_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_SHIFT = (np.uint64(30), np.uint64(27), np.uint64(31))


def order_values(first: Floats, second: Floats, categorical: Bools) -> tuple[Floats, Floats]:
    """Two files with the same columns, with category codes replaced by numbers that do not depend on their names."""
    chosen = np.flatnonzero(categorical)
    if not len(chosen):
        return first, second
    both = np.concatenate([first, second])
    numbered = [_dense(both[:, j]) if categorical[j] else _ranks(both[:, j]) for j in range(both.shape[1])]
    codes = np.column_stack(numbered)
    file = np.repeat(np.array([1, 2], dtype=np.uint64), [len(first), len(second)])
    hashes = codes.astype(np.uint64)
    hashes[:, chosen] = 0
    ordered = both.copy()
    for last in (*[False] * ROUNDS, True):
        rows = _scattered(_sum_of_columns(hashes) + file)
        for j in chosen:
            sums = _sums(codes[:, j], rows)
            if last:
                place = np.unique(sums, return_inverse=True)[1].astype(np.float64)[codes[:, j]]
                ordered[:, j] = np.where(np.isnan(both[:, j]), np.nan, place)
            else:
                hashes[:, j] = sums[codes[:, j]]
    return ordered[: len(first)], ordered[len(first) :]


def _ranks(column: Floats) -> NDArray[np.int64]:
    return np.asarray(np.unique(column, return_inverse=True)[1], dtype=np.int64)


def _dense(codes: Floats) -> NDArray[np.int64]:
    """The same for codes from zero, by counting instead of sorting; missing comes last."""
    missing = np.isnan(codes)
    places = np.where(missing, codes.max(initial=-1.0, where=~missing) + 1, codes).astype(np.int64)
    return np.asarray((np.cumsum(np.bincount(places) > 0) - 1)[places], dtype=np.int64)


def _sum_of_columns(hashes: Hashes) -> Hashes:
    """One number per row, to which every column contributes differently."""
    apart = np.arange(1, hashes.shape[1] + 1, dtype=np.uint64) * _STEP
    return np.asarray(_scattered(hashes + apart).sum(axis=1, dtype=np.uint64))


def _sums(codes: NDArray[np.int64], rows: Hashes) -> Hashes:
    """The sum over the rows of each code, modulo 2^64."""
    sums = np.zeros(int(codes.max(initial=-1)) + 1, dtype=np.uint64)
    np.add.at(sums, codes, rows)
    return sums


def _scattered(values: Hashes) -> Hashes:
    """Spread every bit over all others (Steele, Lea and Flood 2014, splitmix64)."""
    values = (values ^ (values >> _SHIFT[0])) * _MIX[0]
    values = (values ^ (values >> _SHIFT[1])) * _MIX[1]
    return values ^ (values >> _SHIFT[2])
