"""Two-way tables of many pairs of columns, counted in one pass over each pair."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.jit import jit
from ammg.kernels.threads import WORTH_A_THREAD

Codes = NDArray[np.int32]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def pair_tables(
    columns: Sequence[Codes], sizes: Sequence[int], pairs: Sequence[tuple[int, int]], weights: Floats | None = None
) -> list[Floats]:
    """The table of each pair of columns, as in `cross_counts`; -1 is missing and the last entry of an axis."""
    if not pairs:
        return []
    codes = np.empty((len(columns), len(columns[0])), dtype=np.int32)
    for row, (column, size) in enumerate(zip(columns, sizes, strict=True)):
        np.copyto(codes[row], column)
        codes[row][column < 0] = size
    first, second = np.array(pairs, dtype=np.int64).T.copy()
    widths = np.array(sizes, dtype=np.int64) + 1
    starts = np.concatenate([[0], np.cumsum(widths[first] * widths[second])])
    counts = np.zeros(starts[-1])
    summed = np.ones(codes.shape[1]) if weights is None else np.asarray(weights, dtype=np.float64)

    def work(start: int, stop: int) -> None:
        _count(codes, widths, first[start:stop], second[start:stop], starts[start:stop], summed, counts)

    over_blocks(work, len(pairs), block=max(1, WORTH_A_THREAD // max(1, codes.shape[1])), brief=True)
    return [
        counts[starts[place] : starts[place + 1]].reshape(widths[one], widths[other])
        for place, (one, other) in enumerate(pairs)
    ]


@jit
def _count(
    codes: Codes, widths: Ints, first: Ints, second: Ints, starts: Ints, weights: Floats, counts: Floats
) -> None:
    for place in range(len(first)):
        one, other = codes[first[place]], codes[second[place]]
        width, start = widths[second[place]], starts[place]
        for record in range(len(weights)):
            counts[start + one[record] * width + other[record]] += weights[record]
