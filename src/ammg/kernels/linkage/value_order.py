"""An order of records by their values that does not depend on the names of categories or the order of their list.

Numbers have a natural order. Categories get one from their context: how often each occurs, then how often the
categories occur that it occurs with, as in the refinement of graphs (Weisfeiler and Leman 1968). Categories that two
rounds cannot distinguish are nearly interchangeable.
"""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.orders import dense_ranks
from ammg.kernels.threads import in_threads

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Hashes = NDArray[np.uint64]
Codes = NDArray[np.int32]
Column = NDArray[Any]

ROUNDS = 2
BLOCK = 1 << 16
_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_SHIFT = (np.uint64(30), np.uint64(27), np.uint64(31))


def order_values(first: Floats, second: Floats, categorical: Bools) -> tuple[list[Column], list[Column]]:
    """The columns of two files, with category codes replaced by whole numbers that do not depend on their names.

    Missing categories get the last number.
    """
    chosen = np.flatnonzero(categorical)
    if not len(chosen):
        return list(first.T), list(second.T)
    both: list[Column] = in_threads(
        lambda sides: np.concatenate(sides), zip(first.T, second.T, strict=True), first.size + second.size
    )
    apart = np.arange(1, len(both) + 1, dtype=np.uint64) * _STEP
    known = np.repeat(np.array([1, 2], dtype=np.uint64), [len(first), len(second)])
    for j in np.flatnonzero(~categorical):
        known += _scattered(dense_ranks(both[j]).astype(np.uint64) + apart[j])
    codes = in_threads(lambda j: _dense(both[j]), chosen, first.size + second.size)
    hashes = [np.zeros(int(column.max(initial=-1)) + 1, dtype=np.uint64) for column in codes]
    for _ in range(ROUNDS + 1):
        hashes = _in_context(known, codes, [_scattered(h + apart[j]) for h, j in zip(hashes, chosen, strict=True)])
    for j, column, of_category in zip(chosen, codes, hashes, strict=True):
        places = np.unique(of_category, return_inverse=True)[1]
        missing = np.isnan(both[j])
        both[j] = places[column]
        if missing.any():
            both[j][missing] = len(places)
    return [column[: len(first)] for column in both], [column[len(first) :] for column in both]


def _dense(codes: Floats) -> Codes:
    """The dense ranks of codes from zero, by counting instead of sorting; missing comes last."""
    missing = np.isnan(codes)
    places = np.where(missing, codes.max(initial=-1.0, where=~missing) + 1, codes).astype(np.int32)
    return (np.cumsum(np.bincount(places) > 0) - 1).astype(np.int32)[places]


def _in_context(known: Hashes, codes: list[Codes], tables: list[Hashes]) -> list[Hashes]:
    """For each category of each column the sum over its records, modulo 2^64, of what is known about them."""
    sums = [np.zeros(len(table), dtype=np.uint64) for table in tables]
    adding = Lock()

    def work(start: int, stop: int) -> None:
        rows = known[start:stop].copy()
        for column, table in zip(codes, tables, strict=True):
            rows += table[column[start:stop]]
        rows = _scattered(rows)
        for column, total in zip(codes, sums, strict=True):
            part = np.zeros(len(total), dtype=np.uint64)
            np.add.at(part, column[start:stop], rows)
            with adding:  # in any order: whole numbers add up to the same sum
                total += part

    over_blocks(work, len(known), block=max(BLOCK, *map(len, tables)), brief=True)
    return sums


def _scattered(values: Hashes) -> Hashes:
    """Spread every bit over all others (Steele, Lea and Flood 2014, splitmix64)."""
    values = (values ^ (values >> _SHIFT[0])) * _MIX[0]
    values = (values ^ (values >> _SHIFT[1])) * _MIX[1]
    return values ^ (values >> _SHIFT[2])
