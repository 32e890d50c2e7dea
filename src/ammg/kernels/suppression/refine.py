"""A cheaper set of suppressions for tables small enough to compare every combination with every other.

Ruin and recreate (Schrimpf et al. 2000): some neighbouring suppressions are undone, the records that become unsafe are
made safe again as cheaply as possible, and the result is kept unless it costs more.

The state of the search is explained in `look_alikes`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import ZERO, jit, jit_part
from ammg.kernels.splitmix import State, next_uniform, start_stream
from ammg.kernels.suppression.look_alikes import (
    ALIKE,
    CELL,
    LEFT,
    PATTERN,
    STAR_ALIKE,
    Suppressions,
    compare_cells,
    is_spared,
    set_pattern,
)
from ammg.kernels.suppression.repair import find_unsafe, repair

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

LARGEST_TABLE = 2048  # cells: their differences take 2 bytes per pair

_MOST_UNDONE = 6


def improve_suppressions(
    codes: Codes,
    counts: Ints,
    k: int,
    costs: Floats,
    prices: Floats,
    chosen: tuple[Ints, Ints],
    rounds: int,
    rng: np.random.Generator,
) -> tuple[Ints, Ints]:
    """Cells and patterns of single records that cost no more than the given ones and leave every record k look-alikes.

    As in `cover_unsafe_cells`, a record loses a value only if it would also lose it on its own.
    """
    star_cells, star_patterns = chosen
    n_stars, room = star_cells.size, 2 * star_cells.size + 64
    patterns = np.arange(1 << codes.shape[1], dtype=np.int64)
    pattern_costs = np.zeros(patterns.size)
    for key, cost in enumerate(costs.tolist()):
        pattern_costs += np.where(patterns >> key & 1, cost, 0.0)
    differences, alike, allowed = compare_cells(codes, counts, k, pattern_costs)
    cells, stars = np.stack([counts, alike]), np.full((3, room), -1, np.int64)
    possible, needing = np.logical_or.reduce(allowed), np.full(codes.shape, -1, np.int64)
    state = Suppressions(k, differences, allowed, pattern_costs, prices, cells, stars, possible, needing)
    records = np.empty(patterns.size, np.int64)
    stars[CELL, :n_stars], stars[PATTERN, :n_stars] = star_cells, 0
    stars[STAR_ALIKE, :n_stars] = cells[ALIKE, star_cells]
    cells[LEFT] -= np.bincount(star_cells, minlength=counts.size)
    n_stars = _search(
        state, star_patterns, rounds, start_stream(rng), cells.copy(), stars.copy(),
        np.empty(room), np.empty(counts.size + room, np.int64), np.empty(counts.size + room), records,
    )  # fmt: skip
    alive = np.flatnonzero(stars[CELL, :n_stars] >= 0)
    return stars[CELL, alive], stars[PATTERN, alive]


@jit
def _search(
    state: Suppressions,
    patterns: Ints,
    rounds: int,
    stream: State,
    kept_cells: Ints,
    kept_stars: Ints,
    distances: Floats,
    unsafe: Ints,
    worth: Floats,
    records: Ints,
) -> int:
    cells, stars, n_stars = state.cells, state.stars, patterns.size
    for star in range(n_stars):
        set_pattern(star, patterns[star], state, n_stars)
    for star in range(n_stars):
        _shrink(star, state, n_stars)
    n_stars = _keep(cells, stars, n_stars, kept_cells, kept_stars)
    for _ in range(rounds):
        if n_stars == 0:
            break
        n_before = n_stars
        change = _undo(state, n_stars, distances, stream)
        n_unsafe = find_unsafe(state, n_stars, unsafe, worth)
        while n_unsafe > 0:
            star, price = repair(state, n_stars, unsafe, worth, n_unsafe, records, stream)
            if star < 0:
                change = np.inf  # no room, or no solution
                break
            n_stars = max(n_stars, star + 1)
            change += price
            n_unsafe = find_unsafe(state, n_stars, unsafe, worth)
        if change < np.inf:
            for star in range(n_stars - 1, -1, -1):
                if stars[CELL, star] >= 0 and (star >= n_before or next_uniform(stream) < 0.2):
                    change -= _shrink(star, state, n_stars)
        if change <= 1e-9:
            n_stars = _keep(cells, stars, n_stars, kept_cells, kept_stars)
        else:
            _restore(cells, stars, n_stars, kept_cells, kept_stars)
            n_stars = n_before
    for star in range(n_stars):
        _shrink(star, state, n_stars)
    return n_stars


@jit_part
def _shrink(star: int, state: Suppressions, n_stars: int) -> float:
    """Restore every value that a record need not lose, the most expensive first; returns the cost saved."""
    cells, stars, pattern_costs = state.cells, state.stars, state.pattern_costs
    home = stars[CELL, star]
    begin = pattern_costs[stars[PATTERN, star]]
    tried = np.int64(0)
    while True:
        best, bit, key = np.int64(0), np.int64(1), ZERO
        for number in range(state.needing.shape[1]):
            if (
                stars[PATTERN, star] & bit
                and not tried & bit
                and (best == 0 or pattern_costs[bit] > pattern_costs[best])
            ):
                best, key = bit, number
            bit *= 2
        if best == 0:
            break
        tried |= best
        if is_spared(star, key, state, n_stars):
            set_pattern(star, stars[PATTERN, star] & ~best, state, n_stars)
    saved = begin - pattern_costs[stars[PATTERN, star]]
    if stars[PATTERN, star] == 0:
        cells[LEFT, home] += 1
        stars[CELL, star] = -1
    price: float = saved * state.prices[home]
    return price


@jit_part
def _keep(cells: Ints, stars: Ints, n_stars: int, kept_cells: Ints, kept_stars: Ints) -> int:
    """Close the gaps among the suppressed records and save the state."""
    kept = 0
    for star in range(n_stars):
        if stars[CELL, star] >= 0:
            for row in range(3):
                stars[row, kept] = stars[row, star]
            kept += 1
    for star in range(kept, n_stars):
        stars[CELL, star] = -1
    for cell in range(cells.shape[1]):
        for row in range(2):
            kept_cells[row, cell] = cells[row, cell]
    for star in range(n_stars):
        for row in range(3):
            kept_stars[row, star] = stars[row, star]
    return kept


@jit_part
def _restore(cells: Ints, stars: Ints, n_stars: int, kept_cells: Ints, kept_stars: Ints) -> None:
    for cell in range(cells.shape[1]):
        for row in range(2):
            cells[row, cell] = kept_cells[row, cell]
    for star in range(n_stars):
        for row in range(3):
            stars[row, star] = kept_stars[row, star]


@jit_part
def _undo(state: Suppressions, n_stars: int, distances: Floats, stream: State) -> float:
    """Undo one suppression and some of the nearest ones; returns the change in cost."""
    cells, stars, pattern_costs = state.cells, state.stars, state.pattern_costs
    centre = int(next_uniform(stream) * n_stars)
    many = min(n_stars, 1 + int(next_uniform(stream) * _MOST_UNDONE))
    for star in range(n_stars):
        difference = state.differences[stars[CELL, centre], stars[CELL, star]]
        apart = pattern_costs[difference & ~stars[PATTERN, centre] & ~stars[PATTERN, star]]
        distances[star] = min(apart, 1e300) + 1.5 * next_uniform(stream)
    distances[centre] = -1.0
    change = 0.0
    for _ in range(many):
        nearest = ZERO
        for star in range(n_stars):
            if distances[star] < distances[nearest]:
                nearest = star
        distances[nearest] = np.inf
        home = stars[CELL, nearest]
        change -= pattern_costs[stars[PATTERN, nearest]] * state.prices[home]
        set_pattern(nearest, np.int64(0), state, n_stars)
        cells[LEFT, home] += 1
        stars[CELL, nearest] = -1
    return change
