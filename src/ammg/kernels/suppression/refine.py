"""A better set of suppressions for tables small enough to compare every combination with every other.

Ruin and recreate (Schrimpf et al. 2000): some neighbouring suppressions are undone, the records that are then unsafe
are made safe again as cheaply as it goes, and the result is kept unless it costs more.

The state of the search, `cells` and `stars`, is explained in `look_alikes`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit, jit_part
from ammg.kernels.splitmix import State, next_uniform, start_stream
from ammg.kernels.suppression.look_alikes import (
    ALIKE,
    CELL,
    LEFT,
    PATTERN,
    STAR_ALIKE,
    count_look_alikes,
    fill_differences,
    set_pattern,
)

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

LARGEST_TABLE = 2048  # cells: their differences take 8 bytes for each pair
MOST_KEYS = 12  # all patterns of so many keys are tried for each cell

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
    """Cells and patterns of single records that cost no more than those chosen and leave every record k look-alikes.

    As in `cover_unsafe_cells`, a record loses a value only if it would have to on its own.
    """
    star_cells, star_patterns = chosen
    n_stars, room = star_cells.size, 2 * star_cells.size + 64
    stars = np.full((3, room), -1, np.int64)
    stars[CELL, :n_stars], stars[PATTERN, :n_stars] = star_cells, 0
    differences = np.zeros((counts.size, counts.size), np.int64)
    fill_differences(codes, differences)
    patterns = np.arange(1 << codes.shape[1], dtype=np.int64)
    pattern_costs = np.zeros(patterns.size)
    for key, cost in enumerate(costs.tolist()):
        pattern_costs += np.where(patterns >> key & 1, cost, 0.0)
    allowed = np.zeros((counts.size, patterns.size), np.bool_)
    cells = np.zeros((2, counts.size), np.int64)
    count_look_alikes(differences, counts, k, pattern_costs, cells, allowed)
    for star in range(n_stars):
        stars[STAR_ALIKE, star] = cells[ALIKE, star_cells[star]]
    cells[LEFT] -= np.bincount(star_cells, minlength=counts.size)
    for star, pattern in enumerate(star_patterns.tolist()):
        set_pattern(star, np.int64(pattern), differences, cells, stars, n_stars)
    n_stars = _search(
        differences, allowed, k, pattern_costs, prices, cells, stars, n_stars, rounds, start_stream(rng),
        cells.copy(), stars.copy(), np.empty(room), np.empty(counts.size + room, np.int64),
    )  # fmt: skip
    alive = np.flatnonzero(stars[CELL, :n_stars] >= 0)
    return stars[CELL, alive], stars[PATTERN, alive]


@jit_part
def _is_spared(star: int, pattern: int, k: int, differences: Ints, cells: Ints, stars: Ints, n_stars: int) -> bool:
    """Whether a suppressed record can get values back without anyone losing a look-alike that is needed."""
    home = stars[CELL, star]
    before, after = ~stars[PATTERN, star], ~np.int64(pattern)
    own = stars[STAR_ALIKE, star]
    for cell in range(cells.shape[1]):
        difference = differences[home, cell]
        if cells[LEFT, cell] > 0 and (difference & before) == 0 and (difference & after) != 0:
            own -= cells[LEFT, cell]
            if cells[ALIKE, cell] <= k or own < k:
                return False
    for other in range(n_stars):
        if other != star and stars[CELL, other] >= 0:
            difference = differences[home, stars[CELL, other]] & ~stars[PATTERN, other]
            if (difference & before) == 0 and (difference & after) != 0:
                own -= 1
                if stars[STAR_ALIKE, other] <= k or own < k:
                    return False
    return bool(own >= k)


@jit_part
def _shrink(
    star: int, k: int, pattern_costs: Floats, prices: Floats, differences: Ints, cells: Ints, stars: Ints, n_stars: int
) -> float:
    """Give a record back every value that it need not lose, the costliest first; returns what that saves."""
    home = stars[CELL, star]
    begin = pattern_costs[stars[PATTERN, star]]
    tried = np.int64(0)
    while True:
        best, bit = np.int64(0), np.int64(1)
        while bit <= stars[PATTERN, star]:
            if (
                stars[PATTERN, star] & bit
                and not tried & bit
                and (best == 0 or pattern_costs[bit] > pattern_costs[best])
            ):
                best = bit
            bit *= 2
        if best == 0:
            break
        tried |= best
        fewer = stars[PATTERN, star] & ~best
        if _is_spared(star, fewer, k, differences, cells, stars, n_stars):
            set_pattern(star, fewer, differences, cells, stars, n_stars)
    saved = begin - pattern_costs[stars[PATTERN, star]]
    if stars[PATTERN, star] == 0:
        cells[LEFT, home] += 1
        stars[CELL, star] = -1
    price: float = saved * prices[home]
    return price


@jit
def _search(
    differences: Ints,
    allowed: Bools,
    k: int,
    pattern_costs: Floats,
    prices: Floats,
    cells: Ints,
    stars: Ints,
    n_stars: int,
    rounds: int,
    stream: State,
    kept_cells: Ints,
    kept_stars: Ints,
    distances: Floats,
    unsafe: Ints,
) -> int:
    for star in range(n_stars):
        _shrink(star, k, pattern_costs, prices, differences, cells, stars, n_stars)
    n_stars = _keep(cells, stars, n_stars, kept_cells, kept_stars)
    for _ in range(rounds):
        if n_stars == 0:
            break
        n_before = n_stars
        change = _undo(differences, pattern_costs, prices, cells, stars, n_stars, distances, stream)
        n_unsafe = _find_unsafe(k, cells, stars, n_stars, unsafe)
        while n_unsafe > 0:
            star, price = _repair(
                k, allowed, pattern_costs, prices, differences, cells, stars, n_stars, unsafe, n_unsafe, stream
            )
            if star < 0:
                change = np.inf  # no room, or no way
                break
            n_stars = max(n_stars, star + 1)
            change += price
            n_unsafe = _find_unsafe(k, cells, stars, n_stars, unsafe)
        if change < np.inf:
            for star in range(n_stars - 1, -1, -1):
                if stars[CELL, star] >= 0 and (star >= n_before or next_uniform(stream) < 0.2):
                    change -= _shrink(star, k, pattern_costs, prices, differences, cells, stars, n_stars)
        if change <= 1e-9:
            n_stars = _keep(cells, stars, n_stars, kept_cells, kept_stars)
        else:
            _restore(cells, stars, n_stars, kept_cells, kept_stars)
            n_stars = n_before
    for star in range(n_stars):
        _shrink(star, k, pattern_costs, prices, differences, cells, stars, n_stars)
    return n_stars


@jit_part
def _keep(cells: Ints, stars: Ints, n_stars: int, kept_cells: Ints, kept_stars: Ints) -> int:
    """Close the gaps among the suppressed records and remember the state."""
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
def _undo(
    differences: Ints,
    pattern_costs: Floats,
    prices: Floats,
    cells: Ints,
    stars: Ints,
    n_stars: int,
    distances: Floats,
    stream: State,
) -> float:
    """Undo one suppression and some of those nearest to it; returns the change in cost."""
    centre = int(next_uniform(stream) * n_stars)
    many = min(n_stars, 1 + int(next_uniform(stream) * _MOST_UNDONE))
    for star in range(n_stars):
        difference = differences[stars[CELL, centre], stars[CELL, star]]
        apart = pattern_costs[difference & ~stars[PATTERN, centre] & ~stars[PATTERN, star]]
        distances[star] = min(apart, 1e300) + 1.5 * next_uniform(stream)
    distances[centre] = -1.0
    change = 0.0
    for _ in range(many):
        nearest = 0
        for star in range(n_stars):
            if distances[star] < distances[nearest]:
                nearest = star
        distances[nearest] = np.inf
        home = stars[CELL, nearest]
        change -= pattern_costs[stars[PATTERN, nearest]] * prices[home]
        set_pattern(nearest, np.int64(0), differences, cells, stars, n_stars)
        cells[LEFT, home] += 1
        stars[CELL, nearest] = -1
    return change


@jit_part
def _find_unsafe(k: int, cells: Ints, stars: Ints, n_stars: int, unsafe: Ints) -> int:
    """Cells, then suppressed records, with fewer than k look-alikes; returns how many there are."""
    n_unsafe = 0
    for cell in range(cells.shape[1]):
        if cells[LEFT, cell] > 0 and cells[ALIKE, cell] < k:
            unsafe[n_unsafe] = cell
            n_unsafe += 1
    for star in range(n_stars):
        if stars[CELL, star] >= 0 and stars[STAR_ALIKE, star] < k:
            unsafe[n_unsafe] = cells.shape[1] + star
            n_unsafe += 1
    return n_unsafe


@jit_part
def _repair(
    k: int,
    allowed: Bools,
    pattern_costs: Floats,
    prices: Floats,
    differences: Ints,
    cells: Ints,
    stars: Ints,
    n_stars: int,
    unsafe: Ints,
    n_unsafe: int,
    stream: State,
) -> tuple[int, float]:
    """Help one unsafe record by what meets most need per unit of cost; returns the record suppressed and the price.

    It loses values itself, or another record loses those in which the two differ. -1 if there is no way.
    """
    n_cells = cells.shape[1]
    one = unsafe[int(next_uniform(stream) * n_unsafe)]
    itself = one - n_cells if one >= n_cells else -1
    home = one if itself < 0 else stars[CELL, itself]
    pattern = np.int64(0) if itself < 0 else stars[PATTERN, itself]
    best, best_cell, best_star, best_pattern = 0.0, -1, -1, np.int64(0)
    for more in range(1, pattern_costs.size):
        if more & pattern == pattern and more != pattern and allowed[home, more]:
            gain = _gain(home, itself, pattern, np.int64(more), k, differences, cells, stars, n_stars, unsafe, n_unsafe)
            price = (pattern_costs[more] - pattern_costs[pattern]) * prices[home]
            value = gain / price * (1.0 + 0.3 * next_uniform(stream))
            if value > best:
                best, best_cell, best_star, best_pattern = value, home, itself, np.int64(more)
    for other in range(n_cells + n_stars):
        star = other - n_cells if other >= n_cells else -1
        if other == one or (star < 0 and cells[LEFT, other] == 0) or (star >= 0 and stars[CELL, star] < 0):
            continue
        cell = other if star < 0 else stars[CELL, star]
        had = np.int64(0) if star < 0 else stars[PATTERN, star]
        more = (differences[home, cell] & ~pattern) | had
        if more == had or not allowed[cell, more]:
            continue
        gain = _gain(cell, star, had, more, k, differences, cells, stars, n_stars, unsafe, n_unsafe)
        price = (pattern_costs[more] - pattern_costs[had]) * prices[cell]
        value = gain / price * (1.0 + 0.3 * next_uniform(stream))
        if value > best:
            best, best_cell, best_star, best_pattern = value, cell, star, np.int64(more)
    if best_cell < 0:
        return -1, 0.0
    if best_star < 0:
        best_star = 0
        while best_star < n_stars and stars[CELL, best_star] >= 0:
            best_star += 1
        if best_star == stars.shape[1]:
            return -1, 0.0
        stars[CELL, best_star], stars[PATTERN, best_star] = best_cell, 0
        stars[STAR_ALIKE, best_star] = cells[ALIKE, best_cell]
        cells[LEFT, best_cell] -= 1
    price = (pattern_costs[best_pattern] - pattern_costs[stars[PATTERN, best_star]]) * prices[best_cell]
    set_pattern(best_star, best_pattern, differences, cells, stars, max(n_stars, best_star + 1))
    return best_star, price


@jit_part
def _gain(
    home: int,
    itself: int,
    before: np.int64,
    after: np.int64,
    k: int,
    differences: Ints,
    cells: Ints,
    stars: Ints,
    n_stars: int,
    unsafe: Ints,
    n_unsafe: int,
) -> float:
    """The need met when a record of cell `home` goes from one pattern to another; `itself` is its star, or -1."""
    n_cells = cells.shape[1]
    total = 0.0
    own = False
    for number in range(n_unsafe):
        one = unsafe[number]
        star = one - n_cells
        if star < 0:
            if itself < 0 and one == home:
                own = True
                continue
            difference = differences[home, one]
            lacking = k - cells[ALIKE, one]
            worth = min(lacking, cells[LEFT, one]) / lacking
        else:
            if star == itself:
                own = True
                continue
            difference = differences[home, stars[CELL, star]] & ~stars[PATTERN, star]
            worth = 1.0 / (k - stars[STAR_ALIKE, star])
        if (difference & ~before) != 0 and (difference & ~after) == 0:
            total += worth
    if own:
        had = cells[ALIKE, home] if itself < 0 else stars[STAR_ALIKE, itself]
        has = np.int64(0) if itself < 0 else np.int64(1)
        for cell in range(n_cells):
            if (differences[home, cell] & ~after) == 0:
                has += cells[LEFT, cell]
        for star in range(n_stars):
            hidden = ~stars[PATTERN, star] & ~after
            if stars[CELL, star] >= 0 and star != itself and differences[home, stars[CELL, star]] & hidden == 0:
                has += 1
        lacking = k - had
        share = min(lacking, has - had) / lacking
        total += share if itself >= 0 else share * min(lacking, cells[LEFT, home]) / cells[LEFT, home]
    return total
