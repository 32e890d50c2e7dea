"""Make an unsafe record safe again as cheaply as possible: one step of the search in `refine`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import MINUS_ONE, ZERO, jit_part
from ammg.kernels.splitmix import State, next_uniform, skip_uniform
from ammg.kernels.suppression.look_alikes import (
    ALIKE,
    CELL,
    LEFT,
    PATTERN,
    STAR_ALIKE,
    Suppressions,
    set_pattern,
)

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

STAR, HAD, MORE = 1, 2, 3


@jit_part
def find_unsafe(state: Suppressions, n_stars: int, unsafe: Ints, worth: Floats) -> int:
    """Cells, then suppressed records, with fewer than k look-alikes; returns their number.

    Writes the cell, the pattern and the star (-1: none) of each into a column of `unsafe`; `worth` is the part of its
    need that one more look-alike meets.
    """
    k, cells, stars = state.k, state.cells, state.stars
    n_unsafe = 0
    for cell in range(cells.shape[1]):
        if cells[LEFT, cell] > 0 and cells[ALIKE, cell] < k:
            lacking = k - cells[ALIKE, cell]
            unsafe[CELL, n_unsafe], unsafe[STAR, n_unsafe], unsafe[HAD, n_unsafe] = cell, -1, 0
            worth[n_unsafe] = min(lacking, cells[LEFT, cell]) / lacking
            n_unsafe += 1
    for star in range(n_stars):
        if stars[CELL, star] >= 0 and stars[STAR_ALIKE, star] < k:
            unsafe[CELL, n_unsafe], unsafe[STAR, n_unsafe] = stars[CELL, star], star
            unsafe[HAD, n_unsafe] = stars[PATTERN, star]
            worth[n_unsafe] = 1.0 / (k - stars[STAR_ALIKE, star])
            n_unsafe += 1
    return n_unsafe


@jit_part
def repair(
    state: Suppressions,
    n_stars: int,
    unsafe: Ints,
    worth: Floats,
    n_unsafe: int,
    records: Ints,
    ways: Ints,
    stream: State,
) -> tuple[int, float]:
    """Help one unsafe record by the step that meets most need per unit of cost; returns record and price.

    The record loses values itself, or another record loses those in which the two differ. -1 if there is no way.
    """
    one = int(next_uniform(stream) * n_unsafe)
    home, itself, pattern = unsafe[CELL, one], unsafe[STAR, one], unsafe[HAD, one]
    cell, star, more = find_way(
        home, itself, pattern, state, n_stars, unsafe, worth, n_unsafe, records, ways, stream,
    )  # fmt: skip
    if cell < 0:
        return -1, 0.0
    return _lose(cell, star, more, state, n_stars)


@jit_part
def find_way(
    home: int,
    itself: int,
    pattern: int,
    state: Suppressions,
    n_stars: int,
    unsafe: Ints,
    worth: Floats,
    n_unsafe: int,
    records: Ints,
    ways: Ints,
    stream: State,
) -> tuple[int, int, int]:
    """Cell, star (-1: none) and new pattern of the record whose loss meets most need per unit of cost; cell -1: none.

    Home, star and pattern of the unsafe record are given. Values are multiplied by random numbers from 1 to 1.3.
    """
    n_own = _list_own_ways(home, itself, pattern, state, n_stars, records, ways)
    n_ways = _list_other_ways(home, pattern, state, n_stars, ways, n_own)
    best, chosen = 0.0, MINUS_ONE
    for way in range(n_ways):
        cell, star, had, more = ways[CELL, way], ways[STAR, way], ways[HAD, way], ways[MORE, way]
        gain, is_unsafe = _gain_of_others(cell, star, had, more, state, unsafe, worth, n_unsafe)
        if is_unsafe:
            has = records[more] if way < n_own else _count_alike(cell, star, more, state, n_stars)
            gain += own_gain(cell, star, has, state)
        price = (state.pattern_costs[more] - state.pattern_costs[had]) * state.prices[cell]
        value = gain / price
        if value * 1.3 < best:  # it cannot become the best: no random number is needed
            skip_uniform(stream)
            continue
        value *= 1.0 + 0.3 * next_uniform(stream)
        if value > best:
            best, chosen = value, way
    if chosen < 0:
        return MINUS_ONE, MINUS_ONE, ZERO
    return ways[CELL, chosen], ways[STAR, chosen], ways[MORE, chosen]


@jit_part
def _list_own_ways(
    home: int, itself: int, pattern: int, state: Suppressions, n_stars: int, records: Ints, ways: Ints
) -> int:
    """The larger patterns that a record of cell `home` may lose itself, and its look-alikes by pattern (`records`).

    `itself` is its star, or -1. Returns the number of ways.
    """
    cells, stars, row = state.cells, state.stars, state.differences[home]
    for subset in range(records.size):
        records[subset] = 0
    records[0] = np.int64(itself >= 0)
    for cell in range(cells.shape[1]):
        records[row[cell]] += cells[LEFT, cell]
    for star in range(n_stars):
        if stars[CELL, star] >= 0 and star != itself:
            records[row[stars[CELL, star]] & ~stars[PATTERN, star]] += 1
    bit = 1
    while bit < records.size:  # sums over all patterns within each, key by key
        for more in range(records.size):
            if more & bit:
                records[more] += records[more ^ bit]
        bit *= 2
    n_ways = ZERO
    for more in range(1, records.size):
        if more & pattern == pattern and more != pattern and state.allowed[home, more]:
            ways[CELL, n_ways], ways[STAR, n_ways], ways[HAD, n_ways], ways[MORE, n_ways] = home, itself, pattern, more
            n_ways += 1
    return n_ways


@jit_part
def _list_other_ways(home: int, pattern: int, state: Suppressions, n_stars: int, ways: Ints, n_ways: int) -> int:
    """Add the records that become look-alikes by losing the keys in which they differ; returns the number of ways.

    No pattern without keys is possible, so records that already are look-alikes are left out.
    """
    cells, stars, row = state.cells, state.stars, state.differences[home]
    for cell in range(cells.shape[1]):
        more = row[cell] & ~pattern
        if state.possible[more] and cells[LEFT, cell] > 0 and state.allowed[cell, more]:
            ways[CELL, n_ways], ways[STAR, n_ways], ways[HAD, n_ways], ways[MORE, n_ways] = cell, -1, 0, more
            n_ways += 1
    for star in range(n_stars):
        if stars[CELL, star] >= 0:
            had = stars[PATTERN, star]
            more = (row[stars[CELL, star]] & ~pattern) | had
            if more != had and state.possible[more] and state.allowed[stars[CELL, star], more]:
                ways[CELL, n_ways], ways[STAR, n_ways] = stars[CELL, star], star
                ways[HAD, n_ways], ways[MORE, n_ways] = had, more
                n_ways += 1
    return n_ways


@jit_part
def _gain_of_others(
    cell: int,
    star: int,
    before: int,
    after: int,
    state: Suppressions,
    unsafe: Ints,
    worth: Floats,
    n_unsafe: int,
) -> tuple[float, bool]:
    """The need of others that is met if a record of a cell changes from one pattern to another.

    `star` is its star, or -1. Also returns whether the record itself is unsafe.
    """
    row = state.differences[cell]
    total = 0.0
    is_unsafe = False
    for number in range(n_unsafe):
        difference = row[unsafe[CELL, number]] & ~unsafe[HAD, number]
        if difference & ~before != 0 and difference & ~after == 0:
            total += worth[number]
        if unsafe[STAR, number] == star and (star >= 0 or unsafe[CELL, number] == cell):
            is_unsafe = True
    return total, is_unsafe


@jit_part
def own_gain(cell: int, star: int, has: int, state: Suppressions) -> float:
    """The need of an unsafe record that is met if it gets `has` look-alikes."""
    had = state.cells[ALIKE, cell] if star < 0 else state.stars[STAR_ALIKE, star]
    lacking = state.k - had
    share = min(lacking, has - had) / lacking
    left = state.cells[LEFT, cell]
    gain: float = share if star >= 0 else share * min(lacking, left) / left
    return gain


@jit_part
def _count_alike(home: int, itself: int, pattern: int, state: Suppressions, n_stars: int) -> int:
    """Look-alikes of a record of cell `home` that has lost the keys of a pattern."""
    cells, stars, row = state.cells, state.stars, state.differences[home]
    has = np.int64(0) if itself < 0 else np.int64(1)
    for cell in range(cells.shape[1]):
        if (row[cell] & ~pattern) == 0:
            has += cells[LEFT, cell]
    for star in range(n_stars):
        if stars[CELL, star] >= 0 and star != itself and row[stars[CELL, star]] & ~stars[PATTERN, star] & ~pattern == 0:
            has += 1
    return int(has)


@jit_part
def _lose(cell: int, star: int, pattern: int, state: Suppressions, n_stars: int) -> tuple[int, float]:
    """Suppress a record of a cell, or more keys of a star; returns the star and the price, -1 if there is no room."""
    cells, stars, pattern_costs = state.cells, state.stars, state.pattern_costs
    if star < 0:
        star = find_free(stars, n_stars)
        if star == stars.shape[1]:
            return -1, 0.0
        stars[CELL, star], stars[PATTERN, star] = cell, 0
        stars[STAR_ALIKE, star] = cells[ALIKE, cell]
        cells[LEFT, cell] -= 1
    price = (pattern_costs[pattern] - pattern_costs[stars[PATTERN, star]]) * state.prices[cell]
    set_pattern(star, pattern, state, max(n_stars, star + 1))
    return star, price


@jit_part
def find_free(stars: Ints, n_stars: int) -> int:
    """The first unused column among the suppressed records, or the one after them."""
    star = 0
    while star < n_stars and stars[CELL, star] >= 0:
        star += 1
    return star
