"""Comparison of all pairs of cells: which are look-alikes, and which would be if values were suppressed."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import ONE, jit_part

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Bits = NDArray[np.int16]

LEFT, ALIKE = 0, 1
CELL, PATTERN, STAR_ALIKE = 0, 1, 2

PICKED = 0.2  # share of the suppressions of which some values may be restored after each round of the search

MOST_KEYS = 12  # all patterns of this many keys are tried for each cell, and fit into 16 bits

_BLOCK = 64


class Suppressions(NamedTuple):
    """The state of the search.

    `cells[LEFT]` is the number of records of each cell that keep all values, and `cells[ALIKE]` the number of
    look-alikes of each of them. A suppressed record is a column of `stars` with its cell (-1: none), the bit mask of
    its lost keys, and its number of look-alikes.
    """

    k: int
    differences: Bits  # for each pair of cells the keys in which both have a value and differ
    allowed: Bools  # for each cell the patterns without an unnecessary key, if nobody else lost a value
    pattern_costs: Floats
    prices: Floats  # factor by which the cost is multiplied for a record of each cell
    cells: Ints
    stars: Ints
    possible: Bools  # the patterns that are allowed for any cell
    needing: Ints  # for each cell and key, who last needed it suppressed: a cell, or a star (numbered after all cells)
    order: Ints  # the keys, the most expensive first


def compare_cells(codes: Codes, counts: Ints, k: int, pattern_costs: Floats) -> tuple[Bits, Ints, Bools]:
    """Differences of all pairs of cells, look-alikes of each cell, and its allowed patterns; see `Suppressions`."""
    n_cells, n_keys = codes.shape
    columns = np.ascontiguousarray(codes.T)
    differences = np.zeros((n_cells, n_cells), np.int16)
    alike, allowed = np.empty(n_cells, np.int64), np.empty((n_cells, pattern_costs.size), np.bool_)
    for start in range(0, n_cells, _BLOCK):
        rows = slice(start, start + _BLOCK)
        for key, column in enumerate(columns):
            differ = column[rows, None] != column
            differ &= (column[rows, None] >= 0) & (column >= 0)
            differences[rows] |= differ * np.int16(1 << key)
        records = np.stack([np.bincount(row, counts, pattern_costs.size) for row in differences[rows]])
        alike[rows] = records[:, 0]
        needed = np.broadcast_to(pattern_costs < np.inf, records.shape).copy()
        for key in range(n_keys):  # the records of each pattern, summed over all patterns within it, key by key
            records = _halves(records, key)
            records[:, :, 1] += records[:, :, 0]
        for key in range(n_keys):
            needed = _halves(needed, key)
            needed[:, :, 1] &= _halves(records, key)[:, :, 0] < k
        allowed[rows] = needed.reshape(len(needed), -1)
    allowed[:, 0] = False
    return differences, alike, allowed


def _halves(by_pattern: Any, key: int) -> Any:
    """A view whose third axis says whether a pattern has a key."""
    return by_pattern.reshape(len(by_pattern), -1, 2, 1 << key)


@jit_part
def set_pattern(star: int, pattern: int, state: Suppressions, n_stars: int) -> None:
    """Give a suppressed record another pattern and update all numbers of look-alikes."""
    cells, stars = state.cells, state.stars
    before, after = ~stars[PATTERN, star], ~np.int64(pattern)
    row = state.differences[stars[CELL, star]]
    for start in range(0, row.size, _BLOCK):
        if _any_alike(row, start, np.int16(before & after)):
            for cell in range(start, min(start + _BLOCK, row.size)):
                difference = row[cell]
                change = np.int64((difference & after) == 0) - np.int64((difference & before) == 0)
                cells[ALIKE, cell] += change
                stars[STAR_ALIKE, star] += change * cells[LEFT, cell]
    for other in range(n_stars):
        if other != star and stars[CELL, other] >= 0:
            difference = row[stars[CELL, other]] & ~stars[PATTERN, other]
            change = np.int64((difference & after) == 0) - np.int64((difference & before) == 0)
            stars[STAR_ALIKE, other] += change
            stars[STAR_ALIKE, star] += change
    stars[PATTERN, star] = pattern


@jit_part
def shrink(star: int, state: Suppressions, n_stars: int) -> float:
    """Restore every value that a record need not lose, the most expensive first; returns the cost saved."""
    home, begin = state.stars[CELL, star], state.stars[PATTERN, star]
    pattern = begin
    for key in state.order:
        bit = 1 << key
        if begin & bit != 0 and _is_spared(star, key, state, n_stars):
            pattern = pattern & ~bit
            set_pattern(star, pattern, state, n_stars)
    if pattern == 0:
        state.cells[LEFT, home] += 1
        state.stars[CELL, star] = -1
    saved: float = (state.pattern_costs[begin] - state.pattern_costs[pattern]) * state.prices[home]
    return saved


@jit_part
def _is_spared(star: int, key: int, state: Suppressions, n_stars: int) -> bool:
    """Whether a suppressed record can get a key back without anyone losing a necessary look-alike.

    Whoever needed it last time probably still does, and is checked first.
    """
    home, own, bit = state.stars[CELL, star], state.stars[STAR_ALIKE, star], 1 << key
    shown = ~state.stars[PATTERN, star] | bit
    needing = state.needing[home, key]
    if needing >= 0 and _loses(needing, star, shown, bit, state, n_stars):
        alike, records = _of_one(needing, state)
        if alike <= state.k or own - records < state.k:
            return False
    needing = find_needing(star, shown, bit, state, n_stars)
    if needing >= 0:
        state.needing[home, key] = needing
        return False
    return bool(own >= state.k)


@jit_part
def _loses(one: int, star: int, shown: int, bit: int, state: Suppressions, n_stars: int) -> bool:
    """Whether a cell or another star would stop being a look-alike of a star that shows one more key."""
    row = state.differences[state.stars[CELL, star]]
    other = one - len(row)
    if other < 0:
        return bool(state.cells[LEFT, one] > 0 and row[one] & shown == bit)
    if other == star or other >= n_stars or state.stars[CELL, other] < 0:
        return False
    return bool(row[state.stars[CELL, other]] & ~state.stars[PATTERN, other] & shown == bit)


@jit_part
def _of_one(one: int, state: Suppressions) -> tuple[int, int]:
    """The number of look-alikes of a cell or a star, and of its records."""
    star = one - state.cells.shape[1]
    if star < 0:
        return state.cells[ALIKE, one], state.cells[LEFT, one]
    return state.stars[STAR_ALIKE, star], ONE


@jit_part
def find_needing(star: int, shown: int, bit: int, state: Suppressions, n_stars: int) -> int:
    """The first cell, or star numbered after all cells, that needs a value of another star suppressed; -1: nobody."""
    k, cells, stars = state.k, state.cells, state.stars
    row, own = state.differences[stars[CELL, star]], stars[STAR_ALIKE, star]
    for start in range(0, row.size, _BLOCK):
        if _any_alike(row, start, np.int16(shown & ~bit)):
            for cell in range(start, min(start + _BLOCK, row.size)):
                if cells[LEFT, cell] > 0 and row[cell] & shown == bit:
                    own -= cells[LEFT, cell]
                    if cells[ALIKE, cell] <= k or own < k:
                        return cell
    for other in range(n_stars):
        if stars[CELL, other] >= 0 and row[stars[CELL, other]] & ~stars[PATTERN, other] & shown == bit:
            own -= 1
            if stars[STAR_ALIKE, other] <= k or own < k:
                return len(row) + other
    return -1


@jit_part
def _any_alike(differences: Bits, start: int, shown: np.int16) -> bool:
    """Whether any cell of the block at `start` agrees in the shown keys; branch-free for speed."""
    found = 0
    for i in range(start, min(start + _BLOCK, differences.size)):
        found += (differences[i] & shown) == 0
    return found > 0
