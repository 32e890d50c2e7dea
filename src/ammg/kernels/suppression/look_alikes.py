"""All pairs of cells compared: who looks like whom, and who would if values were suppressed.

`cells[LEFT]` is the number of records of each cell that keep all values and `cells[ALIKE]` how many records look like
one of them; a suppressed record is a column of `stars` with its cell (-1: none), the bit mask of the keys it has lost,
and its number of look-alikes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

LEFT, ALIKE = 0, 1
CELL, PATTERN, STAR_ALIKE = 0, 1, 2


@jit
def fill_differences(codes: Codes, differences: Ints) -> None:
    """For each pair of cells the keys, as bits, in which both have a value and differ."""
    for one in range(codes.shape[0]):
        for other in range(one):
            bits = np.int64(0)
            for key in range(codes.shape[1]):
                if codes[one, key] >= 0 and codes[other, key] >= 0 and codes[one, key] != codes[other, key]:
                    bits |= np.int64(1) << key
            differences[one, other] = bits
            differences[other, one] = bits


@jit
def count_look_alikes(
    differences: Ints, counts: Ints, k: int, pattern_costs: Floats, cells: Ints, allowed: Bools
) -> None:
    """Look-alikes of each cell, and the patterns of which no key could be spared if nobody else lost a value."""
    n_patterns = pattern_costs.size
    records = np.empty(n_patterns, np.int64)
    for cell in range(counts.size):
        cells[LEFT, cell] = counts[cell]
        for pattern in range(n_patterns):
            records[pattern] = 0
        for other in range(counts.size):
            records[differences[cell, other]] += counts[other]
        cells[ALIKE, cell] = records[0]
        bit = 1
        while bit < n_patterns:  # sums over all subsets, key by key
            for pattern in range(n_patterns):
                if pattern & bit:
                    records[pattern] += records[pattern ^ bit]
            bit *= 2
        for pattern in range(1, n_patterns):
            needed = pattern_costs[pattern] < np.inf
            bit = 1
            while bit <= pattern:
                if pattern & bit and records[pattern ^ bit] >= k:
                    needed = False
                bit *= 2
            allowed[cell, pattern] = needed


@jit
def set_pattern(star: int, pattern: np.int64, differences: Ints, cells: Ints, stars: Ints, n_stars: int) -> None:
    """Give a suppressed record another pattern and bring all numbers of look-alikes up to date."""
    home = stars[CELL, star]
    before, after = ~stars[PATTERN, star], ~np.int64(pattern)
    for cell in range(cells.shape[1]):
        difference = differences[home, cell]
        change = np.int64((difference & after) == 0) - np.int64((difference & before) == 0)
        cells[ALIKE, cell] += change
        stars[STAR_ALIKE, star] += change * cells[LEFT, cell]
    for other in range(n_stars):
        if other != star and stars[CELL, other] >= 0:
            difference = differences[home, stars[CELL, other]] & ~stars[PATTERN, other]
            change = np.int64((difference & after) == 0) - np.int64((difference & before) == 0)
            stars[STAR_ALIKE, other] += change
            stars[STAR_ALIKE, star] += change
    stars[PATTERN, star] = pattern
