"""Make an unsafe record safe again as cheaply as possible: one step of the search in `refine`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import MINUS_ONE, jit_part
from ammg.kernels.splitmix import State, next_uniform, skip_uniform
from ammg.kernels.suppression.look_alikes import (
    ALIKE,
    CELL,
    LEFT,
    PATTERN,
    STAR_ALIKE,
    Suppressions,
    set_pattern,
    sum_over_subsets,
)

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@jit_part
def find_unsafe(state: Suppressions, n_stars: int, unsafe: Ints, worth: Floats) -> int:
    """Cells, then suppressed records, with fewer than k look-alikes; returns their number.

    `worth` is the part of its need that one more look-alike meets.
    """
    k, cells, stars = state.k, state.cells, state.stars
    n_unsafe = 0
    for cell in range(cells.shape[1]):
        if cells[LEFT, cell] > 0 and cells[ALIKE, cell] < k:
            lacking = k - cells[ALIKE, cell]
            unsafe[n_unsafe], worth[n_unsafe] = cell, min(lacking, cells[LEFT, cell]) / lacking
            n_unsafe += 1
    for star in range(n_stars):
        if stars[CELL, star] >= 0 and stars[STAR_ALIKE, star] < k:
            unsafe[n_unsafe], worth[n_unsafe] = cells.shape[1] + star, 1.0 / (k - stars[STAR_ALIKE, star])
            n_unsafe += 1
    return n_unsafe


@jit_part
def repair(
    state: Suppressions, n_stars: int, unsafe: Ints, worth: Floats, n_unsafe: int, records: Ints, stream: State
) -> tuple[int, float]:
    """Help one unsafe record by the step that meets most need per unit of cost; returns record and price.

    The record loses values itself, or another record loses those in which the two differ. -1 if there is no way.
    """
    cells, stars, pattern_costs, prices = state.cells, state.stars, state.pattern_costs, state.prices
    n_cells = cells.shape[1]
    one = unsafe[int(next_uniform(stream) * n_unsafe)]
    itself = one - n_cells if one >= n_cells else MINUS_ONE
    home = one if itself < 0 else stars[CELL, itself]
    pattern = np.int64(0) if itself < 0 else stars[PATTERN, itself]
    best, best_cell, best_star, best_pattern = 0.0, MINUS_ONE, MINUS_ONE, np.int64(0)
    _count_by_pattern(home, itself, state, n_stars, records)
    for more in range(1, pattern_costs.size):
        if more & pattern == pattern and more != pattern and state.allowed[home, more]:
            others, _ = _gain_of_others(home, itself, pattern, np.int64(more), state, unsafe, worth, n_unsafe)
            gain = others + _own_gain(home, itself, records[more], state)
            price = (pattern_costs[more] - pattern_costs[pattern]) * prices[home]
            value = _varied(gain / price, best, stream)
            if value > best:
                best, best_cell, best_star, best_pattern = value, home, itself, np.int64(more)
    for other in range(n_cells + n_stars):
        star = other - n_cells if other >= n_cells else -1
        if other == one or (star < 0 and cells[LEFT, other] == 0) or (star >= 0 and stars[CELL, star] < 0):
            continue
        cell = other if star < 0 else stars[CELL, star]
        had = np.int64(0) if star < 0 else stars[PATTERN, star]
        more = (state.differences[home, cell] & ~pattern) | had
        if more == had or not state.possible[more] or not state.allowed[cell, more]:
            continue
        gain, is_unsafe = _gain_of_others(cell, star, had, more, state, unsafe, worth, n_unsafe)
        if is_unsafe:
            gain += _own_gain(cell, star, _count(cell, star, more, state, n_stars), state)
        price = (pattern_costs[more] - pattern_costs[had]) * prices[cell]
        value = _varied(gain / price, best, stream)
        if value > best:
            best, best_cell, best_star, best_pattern = value, cell, star, np.int64(more)
    if best_cell < 0:
        return -1, 0.0
    return _lose(best_cell, best_star, best_pattern, state, n_stars)


@jit_part
def _varied(value: float, best: float, stream: State) -> float:
    """The value times a random number from 1 to 1.3; none is drawn if it cannot make the value the best."""
    if value * 1.3 < best:
        skip_uniform(stream)
        return value
    return value * (1.0 + 0.3 * next_uniform(stream))


@jit_part
def _lose(cell: int, star: int, pattern: np.int64, state: Suppressions, n_stars: int) -> tuple[int, float]:
    """Suppress a record of a cell, or more keys of a star; returns the star and the price, -1 if there is no room."""
    cells, stars, pattern_costs = state.cells, state.stars, state.pattern_costs
    if star < 0:
        star = 0
        while star < n_stars and stars[CELL, star] >= 0:
            star += 1
        if star == stars.shape[1]:
            return -1, 0.0
        stars[CELL, star], stars[PATTERN, star] = cell, 0
        stars[STAR_ALIKE, star] = cells[ALIKE, cell]
        cells[LEFT, cell] -= 1
    price = (pattern_costs[pattern] - pattern_costs[stars[PATTERN, star]]) * state.prices[cell]
    set_pattern(star, pattern, state, max(n_stars, star + 1))
    return star, price


@jit_part
def _gain_of_others(
    home: int,
    itself: int,
    before: np.int64,
    after: np.int64,
    state: Suppressions,
    unsafe: Ints,
    worth: Floats,
    n_unsafe: int,
) -> tuple[float, bool]:
    """The need of others that is met if a record of cell `home` changes from one pattern to another.

    `itself` is its star, or -1. Also returns whether the record itself is unsafe.
    """
    n_cells = state.cells.shape[1]
    total = 0.0
    is_unsafe = False
    for number in range(n_unsafe):
        one = unsafe[number]
        star = one - n_cells
        if star < 0:
            if itself < 0 and one == home:
                is_unsafe = True
                continue
            difference = np.int64(state.differences[home, one])
        else:
            if star == itself:
                is_unsafe = True
                continue
            difference = state.differences[home, state.stars[CELL, star]] & ~state.stars[PATTERN, star]
        if (difference & ~before) != 0 and (difference & ~after) == 0:
            total += worth[number]
    return total, is_unsafe


@jit_part
def _own_gain(home: int, itself: int, has: np.int64, state: Suppressions) -> float:
    """The need of an unsafe record of cell `home` that is met if it gets `has` look-alikes."""
    had = state.cells[ALIKE, home] if itself < 0 else state.stars[STAR_ALIKE, itself]
    lacking = state.k - had
    share = min(lacking, has - had) / lacking
    left = state.cells[LEFT, home]
    gain: float = share if itself >= 0 else share * min(lacking, left) / left
    return gain


@jit_part
def _count(home: int, itself: int, pattern: np.int64, state: Suppressions, n_stars: int) -> np.int64:
    """Look-alikes of a record of cell `home` that has lost the keys of a pattern."""
    cells, stars, row = state.cells, state.stars, state.differences[home]
    has = np.int64(0) if itself < 0 else np.int64(1)
    for cell in range(cells.shape[1]):
        if (row[cell] & ~pattern) == 0:
            has += cells[LEFT, cell]
    for star in range(n_stars):
        if stars[CELL, star] >= 0 and star != itself and row[stars[CELL, star]] & ~stars[PATTERN, star] & ~pattern == 0:
            has += 1
    return has


@jit_part
def _count_by_pattern(home: int, itself: int, state: Suppressions, n_stars: int, records: Ints) -> None:
    """The result of `_count` for all patterns at once."""
    cells, stars, row = state.cells, state.stars, state.differences[home]
    for pattern in range(records.size):
        records[pattern] = 0
    records[0] = np.int64(itself >= 0)
    for cell in range(cells.shape[1]):
        records[row[cell]] += cells[LEFT, cell]
    for star in range(n_stars):
        if stars[CELL, star] >= 0 and star != itself:
            records[row[stars[CELL, star]] & ~stars[PATTERN, star]] += 1
    sum_over_subsets(records)
