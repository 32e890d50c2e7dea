"""The search for cheaper suppressions without compiled code, for the first small tables of a process.

The steps of the search are those of `refine`, run as plain Python. Only the loops over all cells or all suppressed
records, where the time goes, are written again for numpy; a function stands for the compiled one of the same name. Sums
of fractions are made in the same order, so the result is the same bit by bit.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.plain import plain
from ammg.kernels.splitmix import State
from ammg.kernels.suppression.look_alikes import (
    ALIKE,
    CELL,
    LEFT,
    PATTERN,
    PICKED,
    STAR_ALIKE,
    Suppressions,
    shrink,
)
from ammg.kernels.suppression.repair import HAD, MORE, STAR, own_gain
from ammg.kernels.suppression.uniform_blocks import UniformBlocks

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
View = Any  # a memoryview of an array

RECORDS = 3


def search_few(search: Callable[..., int]) -> Callable[..., int]:
    """The search of `refine` as plain Python."""
    run = _as_plain(search)

    def view_and_run(state: Suppressions, patterns: Ints, rounds: int, stream: State, *memory: View) -> Any:
        viewed = _view(state)
        memory = tuple(memoryview(one) for one in memory)
        n_stars = run(viewed, patterns.tolist(), rounds, UniformBlocks(stream), *memory)
        state.stars[:] = viewed.stars
        return n_stars

    return view_and_run


class Viewed(NamedTuple):
    """`Suppressions` whose numbers are read and written one by one as Python's own, several times faster.

    Cells, then stars, are the columns of `everyone`: the cell (-1: none), the lost keys, the number of look-alikes and
    the records of each. `cells` and `stars` are parts of it.
    """

    k: int
    differences: list[View]
    allowed: View
    pattern_costs: View
    prices: View
    cells: View
    stars: View
    possible: View
    needing: View
    order: list[int]
    everyone: Ints
    arrays: Suppressions


def _view(state: Suppressions) -> Viewed:
    n_cells = state.cells.shape[1]
    everyone = np.zeros((4, n_cells + state.stars.shape[1]), np.int64)
    cells, stars = everyone[RECORDS : PATTERN : LEFT - ALIKE, :n_cells], everyone[:RECORDS, n_cells:]
    everyone[CELL, :n_cells] = np.arange(n_cells)
    cells[:], stars[:] = state.cells, state.stars
    fields: dict[str, Any] = state._asdict() | {"cells": cells, "stars": stars}
    views = {name: memoryview(field) for name, field in fields.items() if name not in ("k", "differences", "order")}
    rows = [memoryview(row) for row in fields["differences"]]
    order = state.order.tolist()
    return Viewed(k=state.k, differences=rows, order=order, everyone=everyone, arrays=state, **views)


def _everyone(state: Viewed, n_stars: int) -> Ints:
    """Cells and stars, as rows of `everyone`; a star has one record, unless it is undone."""
    n_cells = len(state.differences)
    everyone = state.everyone[:, : n_cells + n_stars]
    everyone[RECORDS, n_cells:] = everyone[CELL, n_cells:] >= 0
    return everyone


def set_pattern(star: int, pattern: int, state: Viewed, n_stars: int) -> None:
    """The function of `look_alikes`."""
    homes, hidden, alike, records = _everyone(state, n_stars)
    before, after = ~state.stars[PATTERN, star], ~pattern
    theirs = state.arrays.differences[state.stars[CELL, star]][homes] & ~hidden
    now, was = theirs & after == 0, theirs & before == 0
    change = now.view(np.int8) - was.view(np.int8)
    alike += change
    state.stars[STAR_ALIKE, star] += int(change @ records)
    state.stars[PATTERN, star] = pattern


def find_needing(star: int, shown: int, bit: int, state: Viewed, n_stars: int) -> int:
    """The function of `look_alikes`."""
    k, cells, stars, n_cells = state.k, state.cells, state.stars, len(state.differences)
    row, own = state.arrays.differences[stars[CELL, star]], stars[STAR_ALIKE, star]
    for cell in (row & shown == bit).nonzero()[0].tolist():
        if cells[LEFT, cell] > 0:
            own -= cells[LEFT, cell]
            if cells[ALIKE, cell] <= k or own < k:
                return int(cell)
    homes, hidden = state.everyone[:STAR_ALIKE, n_cells : n_cells + n_stars]
    for other in (row[homes] & ~hidden & shown == bit).nonzero()[0].tolist():
        if stars[CELL, other] >= 0:
            own -= 1
            if stars[STAR_ALIKE, other] <= k or own < k:
                return n_cells + int(other)
    return -1


def find_unsafe(state: Viewed, n_stars: int, unsafe: View, worth: View) -> int:
    """The function of `repair`."""
    homes, hidden, alike, records = _everyone(state, n_stars)
    who = ((alike < state.k) & (records > 0)).nonzero()[0]
    lacking = state.k - alike[who]
    found = np.asarray(unsafe)[:, : who.size]
    found[CELL], found[STAR], found[HAD] = homes[who], _stars(who, state), hidden[who]
    np.asarray(worth)[: who.size] = np.minimum(lacking, records[who]) / lacking
    return int(who.size)


def _stars(who: Ints, state: Viewed) -> Ints:
    """The star of each column of `everyone`; -1 for cells."""
    return np.maximum(who - len(state.differences), -1)


def find_way(
    home: int,
    itself: int,
    pattern: int,
    state: Viewed,
    n_stars: int,
    unsafe: View,
    worth: View,
    n_unsafe: int,
    records: View,
    ways: View,
    stream: UniformBlocks,
) -> tuple[int, int, int]:
    """The function of `repair`."""
    k, arrays, gain = state.k, state.arrays, _as_plain(own_gain)
    n_own, (cell, star, had, more, alike) = _list_ways(home, itself, pattern, state, n_stars)
    if not cell.size:
        return -1, -1, 0
    theirs, _, hidden = np.asarray(unsafe)[:, :n_unsafe]
    differences = arrays.differences[cell[:, None], theirs] & ~hidden
    is_met = (differences & ~had[:, None] != 0) & (differences & ~more[:, None] == 0)
    gains = np.where(is_met, np.asarray(worth)[:n_unsafe], 0.0).cumsum(axis=1)[:, -1]
    if n_own:
        has = np.minimum(_count_by_pattern(home, state, n_stars)[more[:n_own]], k)  # more than k are not worth more
        gains[:n_own] += np.array([gain(home, itself, number, state) for number in range(k + 1)])[has]
    unsafe_ways = (alike[n_own:] < k).nonzero()[0] + n_own
    numbers = _count_alike(cell[unsafe_ways], more[unsafe_ways], state, n_stars).tolist()
    for way, number in zip(unsafe_ways.tolist(), numbers, strict=True):
        gains[way] += gain(int(cell[way]), int(star[way]), number, state)
    values = gains / ((arrays.pattern_costs[more] - arrays.pattern_costs[had]) * arrays.prices[cell])
    values *= 1.0 + 0.3 * stream.take(values.size)
    best = int(values.argmax())
    return (int(cell[best]), int(star[best]), int(more[best])) if values[best] > 0.0 else (-1, -1, 0)


def _list_ways(home: int, itself: int, pattern: int, state: Viewed, n_stars: int) -> tuple[int, Ints]:
    """Cells, stars, patterns before and after, and look-alikes of those who can help, after the number of own ways.

    No pattern without keys is possible, so records that already are look-alikes are left out.
    """
    arrays, (homes, hidden, alike, records) = state.arrays, _everyone(state, n_stars)
    own = arrays.allowed[home].nonzero()[0]
    own = own[(own & pattern == pattern) & (own != pattern)]
    after = (arrays.differences[home] & ~pattern)[homes] | hidden
    who = (arrays.possible[after] & (after != hidden) & (records > 0)).nonzero()[0]
    who = who[arrays.allowed[homes[who], after[who]]]
    ways = np.empty((5, own.size + who.size), np.int64)
    mine, others = ways[:, : own.size], ways[:, own.size :]
    mine[CELL], mine[STAR], mine[HAD], mine[MORE] = home, itself, pattern, own
    others[CELL], others[STAR], others[HAD], others[MORE] = homes[who], _stars(who, state), hidden[who], after[who]
    others[MORE + 1] = alike[who]
    return own.size, ways


def _count_by_pattern(home: int, state: Viewed, n_stars: int) -> Ints:
    """Look-alikes of an unsafe record of cell `home` if it loses the keys of each pattern; a star counts itself."""
    homes, hidden, _, records = _everyone(state, n_stars)
    found = np.bincount(state.arrays.differences[home][homes] & ~hidden, records, len(state.pattern_costs))
    for key in range(len(state.order)):
        halves = found.reshape(-1, 2, 1 << key)
        halves[:, 1] += halves[:, 0]
    return found.astype(np.int64)


def _count_alike(home: Ints, patterns: Ints, state: Viewed, n_stars: int) -> Ints:
    """The same for one pattern of each of several cells."""
    homes, hidden, _, records = _everyone(state, n_stars)
    apart = np.take(state.arrays.differences[home], homes, axis=1, mode="wrap") & ~(hidden | patterns[:, None])
    found: Ints = (apart == 0) @ records
    return found


def find_free(stars: View, n_stars: int) -> int:
    """The function of `repair`."""
    free = (np.asarray(stars)[CELL, :n_stars] < 0).nonzero()[0]
    return int(free[0]) if free.size else n_stars


def shrink_some(change: float, state: Viewed, n_before: int, n_stars: int, stream: UniformBlocks) -> float:
    """The function of `refine`, without trying stars whose values are all needed."""
    n_cells = len(state.differences)
    alive = (state.everyone[CELL, n_cells : n_cells + n_stars] >= 0).nonzero()[0][::-1]
    picked = alive >= n_before
    old = (~picked).nonzero()[0]
    picked[old] = stream.take(old.size) < PICKED
    left, shrink_one = alive[picked], _as_plain(shrink)
    while left.size:
        for place in (~_are_needed(left, state, n_stars)).nonzero()[0].tolist():
            star = int(left[place])
            pattern = state.stars[PATTERN, star]
            change -= shrink_one(star, state, n_stars)
            if state.stars[PATTERN, star] != pattern:  # some values may be needed no longer
                left = left[place + 1 :]
                break
        else:
            break
    return change


def _are_needed(stars: Ints, state: Viewed, n_stars: int) -> Bools:
    """Whether no suppressed value of each star could be shown; `_is_spared` in `look_alikes` decides this for one."""
    homes, hidden, alike, records = _everyone(state, n_stars)
    n_cells, n_keys = len(state.differences), len(state.order)
    home, lost, own = state.everyone[:RECORDS, stars + n_cells]
    apart = np.empty((stars.size, homes.size), np.int16)
    apart[:, :n_cells] = state.arrays.differences[home]
    np.take(apart, homes[n_cells:], axis=1, out=apart[:, n_cells:], mode="wrap")
    apart[:, n_cells:] &= ~hidden[n_cells:].astype(np.int16)
    place, who = np.divmod((apart & ~lost.astype(np.int16)[:, None] == 0).ravel().nonzero()[0], homes.size)
    some = records[who] > 0
    place, who = place[some], who[some]
    bits = np.int64(1) << np.arange(n_keys)
    loses = apart[place, who, None] & bits != 0
    entries = n_keys * place[:, None] + np.arange(n_keys)
    lose = np.bincount(entries[loses], np.broadcast_to(records[who, None], loses.shape)[loses], stars.size * n_keys)
    need = np.bincount(entries[loses & (alike[who, None] <= state.k)], minlength=stars.size * n_keys)
    left = own[:, None] - lose.reshape(-1, n_keys)
    needed: Bools = ((lost[:, None] & bits == 0) | (left < state.k) | (need.reshape(-1, n_keys) > 0)).all(axis=1)
    return needed


def keep(state: Viewed, n_stars: int, kept_cells: View, kept_stars: View) -> int:
    """The function of `refine`."""
    n_cells = len(state.differences)
    stars = state.everyone[:RECORDS, n_cells : n_cells + n_stars]
    alive = (stars[CELL] >= 0).nonzero()[0]
    if alive.size < n_stars:
        stars[:, : alive.size] = stars[:, alive]
        stars[CELL, alive.size :] = -1
    np.asarray(kept_cells)[:] = state.everyone[STAR_ALIKE:, :n_cells]
    np.asarray(kept_stars)[:, :n_stars] = stars
    return int(alive.size)


def restore(state: Viewed, n_stars: int, kept_cells: View, kept_stars: View) -> None:
    """The function of `refine`."""
    n_cells = len(state.differences)
    state.everyone[STAR_ALIKE:, :n_cells] = kept_cells
    state.everyone[:RECORDS, n_cells : n_cells + n_stars] = np.asarray(kept_stars)[:, :n_stars]


def find_distances(centre: int, state: Viewed, n_stars: int, distances: View, stream: UniformBlocks) -> None:
    """The function of `refine`."""
    n_cells = len(state.differences)
    homes, hidden = state.everyone[:STAR_ALIKE, n_cells : n_cells + n_stars]
    keys = state.arrays.differences[homes[centre]][homes] & ~hidden[centre] & ~hidden
    apart = np.minimum(state.arrays.pattern_costs[keys], 1e300)
    np.asarray(distances)[:n_stars] = apart + 1.5 * stream.take(n_stars)
    distances[centre] = -1.0


def find_nearest(distances: View, n_stars: int) -> int:
    """The function of `refine`."""
    return int(np.asarray(distances)[:n_stars].argmin())


def next_uniform(stream: UniformBlocks) -> float:
    """The function of `splitmix`."""
    return float(stream.take(1)[0])


_PARTS = (
    set_pattern, find_needing, find_unsafe, find_way, find_free, shrink_some, keep, restore, find_distances,
    find_nearest, next_uniform,
)  # fmt: skip


@cache
def _as_plain(kernel: Any) -> Any:
    """A kernel that calls the functions of this module."""
    return plain(kernel, ZERO=0, ONE=1, MINUS_ONE=-1, **{part.__name__: part for part in _PARTS})
