"""Counts of agreement patterns over all pairs of two files, from which field weights are estimated."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.jit import jit
from ammg.kernels.linkage.comparison import Comparison

Floats = NDArray[np.float64]

DISAGREE, AGREE, MISSING = 0, 1, 2
MOST_PATTERNS = 3**15


class Patterns(NamedTuple):
    """The occurring patterns, one state per field, and the number of pairs with each."""

    states: NDArray[np.int8]  # patterns × fields
    counts: NDArray[np.int64]


def count_patterns(comparison: Comparison, tolerance: float = 0.05) -> Patterns:
    """Count the pairs in which each combination of fields agrees (q <= tolerance), disagrees or is missing.

    Raises:
        ValueError: more than 23 fields, or more than 15 with missing values.
    """
    fields = len(comparison.tolerance)
    gaps = bool(np.isnan(comparison.original).any() or np.isnan(comparison.masked).any())
    base = 3 if gaps else 2
    if base**fields > MOST_PATTERNS:
        most = 15 if gaps else 23
        raise ValueError(f"{fields} fields have too many patterns to count; choose at most {most} fields.")
    original = np.ascontiguousarray(comparison.original.T)
    masked = np.ascontiguousarray(comparison.masked.T)
    reach = np.ascontiguousarray((tolerance * comparison.reach).T)
    blocks: dict[int, NDArray[np.int64]] = {}

    def work(start: int, stop: int) -> None:
        blocks[start] = _count(original, masked[:, start:stop], reach, base)

    step = max(256, -(-masked.shape[1] // 64))  # limits the number of partial tables
    over_blocks(work, masked.shape[1], block=step)
    counts = sum(blocks.values(), start=np.zeros(base**fields, dtype=np.int64))
    seen = np.flatnonzero(counts)
    states = seen[:, None] // base ** np.arange(fields) % base
    return Patterns(states.astype(np.int8), counts[seen])


@jit
def _count(original: Floats, masked: Floats, reach: Floats, base: int) -> NDArray[np.int64]:
    fields, n = original.shape
    counts = np.zeros(base**fields, dtype=np.int64)
    codes = np.empty(n, dtype=np.int64)
    for i in range(masked.shape[1]):
        codes[:] = 0
        place = 1
        for f in range(fields):
            value = masked[f, i]
            for j in range(n):
                gap = abs(original[f, j] - value)
                codes[j] += place if gap <= reach[f, j] else (0 if gap == gap else 2 * place)
            place *= base
        for j in range(n):
            counts[codes[j]] += 1
    return counts
