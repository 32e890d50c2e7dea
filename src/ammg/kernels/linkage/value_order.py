"""An order of records by their values that does not depend on the names of categories or the order of their list.

Numbers have a natural order. Categories get one from their context: how often each occurs, then how often the
categories occur that it occurs with, as in the refinement of graphs (Weisfeiler and Leman 1968). Categories that two
rounds cannot distinguish are nearly interchangeable.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.columns import beside

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
    both = [np.concatenate([before, after]) for before, after in zip(first.T, second.T, strict=True)]
    codes = {j: _dense(both[j]) for j in chosen}
    apart = np.arange(1, len(both) + 1, dtype=np.uint64) * _STEP
    known = np.repeat(np.array([1, 2], dtype=np.uint64), [len(first), len(second)])
    for j in np.flatnonzero(~categorical):
        known += _scattered(_ranks(both[j]).astype(np.uint64) + apart[j])
    hashes = {j: np.zeros(int(codes[j].max(initial=-1)) + 1, dtype=np.uint64) for j in chosen}
    for _ in range(ROUNDS + 1):
        rows = known.copy()
        for j in chosen:
            rows += _scattered(hashes[j] + apart[j])[codes[j]]
        rows = _scattered(rows)
        hashes = {j: _sums(codes[j], rows, len(hashes[j])) for j in chosen}
    for j in chosen:
        place = np.unique(hashes[j], return_inverse=True)[1].astype(np.float64)[codes[j]]
        both[j] = np.where(np.isnan(both[j]), np.nan, place)
    ordered = beside(both, len(both[0]))
    return ordered[: len(first)], ordered[len(first) :]


def _ranks(column: Floats) -> NDArray[np.int64]:
    return np.asarray(np.unique(column, return_inverse=True)[1], dtype=np.int64)


def _dense(codes: Floats) -> NDArray[np.int64]:
    """The same for codes from zero, by counting instead of sorting; missing comes last."""
    missing = np.isnan(codes)
    places = np.where(missing, codes.max(initial=-1.0, where=~missing) + 1, codes).astype(np.int64)
    return np.asarray((np.cumsum(np.bincount(places) > 0) - 1)[places], dtype=np.int64)


def _sums(codes: NDArray[np.int64], rows: Hashes, size: int) -> Hashes:
    """The sum over the rows of each code, modulo 2^64."""
    sums = np.zeros(size, dtype=np.uint64)
    np.add.at(sums, codes, rows)
    return sums


def _scattered(values: Hashes) -> Hashes:
    """Spread every bit over all others (Steele, Lea and Flood 2014, splitmix64)."""
    values = (values ^ (values >> _SHIFT[0])) * _MIX[0]
    values = (values ^ (values >> _SHIFT[1])) * _MIX[1]
    return values ^ (values >> _SHIFT[2])
