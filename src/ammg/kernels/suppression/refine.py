"""A cheaper set of suppressions for tables small enough to compare every combination with every other.

Ruin and recreate (Schrimpf et al. 2000): some neighbouring suppressions are undone, the records that become unsafe are
made safe again as cheaply as possible, and the result is kept unless it costs more.

The state of the search is explained in `look_alikes`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import ZERO, jit, jit_part
from ammg.kernels.plain import Budget
from ammg.kernels.splitmix import State, next_uniform, start_stream
from ammg.kernels.suppression.few_cells import search_few
from ammg.kernels.suppression.look_alikes import (
    ALIKE,
    CELL,
    LEFT,
    PATTERN,
    PICKED,
    STAR_ALIKE,
    Suppressions,
    compare_cells,
    set_pattern,
    shrink,
)
from ammg.kernels.suppression.repair import find_unsafe, repair

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

LARGEST_TABLE = 2048  # cells: their differences take 2 bytes per pair

_MOST_UNDONE = 6

_budget = Budget(3.0)  # about what compiling takes


def improve_suppressions(
    codes: Codes,
    counts: Ints,
    k: int,
    costs: Floats,
    prices: Floats,
    chosen: tuple[Ints, Ints],
    rounds: int,
    rng: np.random.Generator,
    calls: int = 1,
) -> tuple[Ints, Ints]:
    """Cells and patterns of single records that cost no more than the given ones and leave every record k look-alikes.

    As in `cover_unsafe_cells`, a record loses a value only if it would also lose it on its own. `calls` is the number
    of tables still to come, this one included: for many, the search is compiled.
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
    order = np.argsort(-costs, kind="stable")
    state = Suppressions(k, differences, allowed, pattern_costs, prices, cells, stars, possible, needing, order)
    stars[CELL, :n_stars], stars[PATTERN, :n_stars] = star_cells, 0
    stars[STAR_ALIKE, :n_stars] = cells[ALIKE, star_cells]
    cells[LEFT] -= np.bincount(star_cells, minlength=counts.size)
    both = counts.size + room
    once = 450.0 + 2.0 * n_stars + 0.2 * counts.size + 0.5 * patterns.size + 4.0 * k  # microseconds in plain Python
    seconds = 1e-6 * (rounds * once + 100.0 * n_stars)
    search = search_few(_search) if _budget.allows(_search, seconds, calls) else _search
    n_stars = search(
        state, star_patterns, rounds, start_stream(rng), cells.copy(), stars.copy(), np.empty(room),
        np.empty((3, both), np.int64), np.empty(both), np.empty(patterns.size, np.int64),
        np.empty((4, both + patterns.size), np.int64),
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
    ways: Ints,
) -> int:
    """Improve the suppressions with the given patterns; returns how many columns of `stars` are in use.

    The arrays after `stream` are working memory.
    """
    n_stars = len(patterns)
    for star in range(n_stars):
        set_pattern(star, patterns[star], state, n_stars)
    for star in range(n_stars):
        shrink(star, state, n_stars)
    n_stars = keep(state, n_stars, kept_cells, kept_stars)
    for _ in range(rounds):
        if n_stars == 0:
            break
        n_before = n_stars
        change = _undo(state, n_stars, distances, stream)
        n_unsafe = find_unsafe(state, n_stars, unsafe, worth)
        while n_unsafe > 0:
            star, price = repair(state, n_stars, unsafe, worth, n_unsafe, records, ways, stream)
            if star < 0:
                change = np.inf  # no room, or no solution
                break
            n_stars = max(n_stars, star + 1)
            change += price
            n_unsafe = find_unsafe(state, n_stars, unsafe, worth)
        if change < np.inf:
            change = shrink_some(change, state, n_before, n_stars, stream)
        if change <= 1e-9:
            n_stars = keep(state, n_stars, kept_cells, kept_stars)
        else:
            restore(state, n_stars, kept_cells, kept_stars)
            n_stars = n_before
    for star in range(n_stars):
        shrink(star, state, n_stars)
    return n_stars


@jit_part
def shrink_some(change: float, state: Suppressions, n_before: int, n_stars: int, stream: State) -> float:
    """Shrink the new suppressions and a fifth of the others, last first; returns the change in cost, now lower."""
    for star in range(n_stars - 1, -1, -1):
        if state.stars[CELL, star] >= 0 and (star >= n_before or next_uniform(stream) < PICKED):
            change -= shrink(star, state, n_stars)
    return change


@jit_part
def keep(state: Suppressions, n_stars: int, kept_cells: Ints, kept_stars: Ints) -> int:
    """Close the gaps among the suppressed records and save the state."""
    cells, stars = state.cells, state.stars
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
def restore(state: Suppressions, n_stars: int, kept_cells: Ints, kept_stars: Ints) -> None:
    """Return to the state that was saved last."""
    for cell in range(state.cells.shape[1]):
        for row in range(2):
            state.cells[row, cell] = kept_cells[row, cell]
    for star in range(n_stars):
        for row in range(3):
            state.stars[row, star] = kept_stars[row, star]


@jit_part
def _undo(state: Suppressions, n_stars: int, distances: Floats, stream: State) -> float:
    """Undo one suppression and some of the nearest ones; returns the change in cost."""
    cells, stars = state.cells, state.stars
    centre = int(next_uniform(stream) * n_stars)
    many = min(n_stars, 1 + int(next_uniform(stream) * _MOST_UNDONE))
    find_distances(centre, state, n_stars, distances, stream)
    change = 0.0
    for _ in range(many):
        nearest = find_nearest(distances, n_stars)
        distances[nearest] = np.inf
        home = stars[CELL, nearest]
        change -= state.pattern_costs[stars[PATTERN, nearest]] * state.prices[home]
        set_pattern(nearest, ZERO, state, n_stars)
        cells[LEFT, home] += 1
        stars[CELL, nearest] = -1
    return change


@jit_part
def find_distances(centre: int, state: Suppressions, n_stars: int, distances: Floats, stream: State) -> None:
    """The distance of each suppression from one of them: the cost of the keys in which they differ, made random."""
    stars, row = state.stars, state.differences[state.stars[CELL, centre]]
    for star in range(n_stars):
        apart = state.pattern_costs[row[stars[CELL, star]] & ~stars[PATTERN, centre] & ~stars[PATTERN, star]]
        distances[star] = min(apart, 1e300) + 1.5 * next_uniform(stream)
    distances[centre] = -1.0


@jit_part
def find_nearest(distances: Floats, n_stars: int) -> int:
    """The position of the first of the smallest distances."""
    nearest = ZERO
    for star in range(n_stars):
        if distances[star] < distances[nearest]:
            nearest = star
    return nearest
