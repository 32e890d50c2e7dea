"""Better groups by iterated local search: dissolve a few neighbouring groups, regroup, improve, keep improvements.

Lourenço, Martin and Stützle (2003) for the scheme. A step takes two to eight neighbouring groups, forms one fewer, as
many, or one more groups of their records around random seeds, and relocates and swaps records until nothing improves.
At first, a step that costs a little is also accepted, with a probability that falls to zero (Kirkpatrick, Gelatt and
Vecchi 1983), which helps in files whose groups are dissolved often. A step looks at a few dozen records whatever the
size of the file.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.grouping.mixed_records import Records
from ammg.kernels.grouping.neighbour_lists import neighbour_lists
from ammg.kernels.grouping.search_step import (
    AFTER,
    BEFORE,
    DRAWS,
    GROUPS,
    LUCK,
    Partition,
    Step,
    choose_groups,
    draw_groups,
    empty_step,
    gather,
    partition_of,
    regroup_members,
    write_groups,
)
from ammg.kernels.grouping.steps_ahead import (
    ACCEPTED,
    PLACE,
    TAKEN,
    Board,
    dismiss,
    give_orders,
    new_board,
    run_ahead,
    tell_place,
    tried_ahead,
)
from ammg.kernels.jit import MINUS_ONE, ZERO, jit
from ammg.kernels.splitmix import State, go_to, start_stream
from ammg.kernels.threads import has_spare_processor, helped_by

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_LIST = 12  # neighbours by which a step finds the next groups
_HEAT = 0.4  # first temperature, in mean sums of squares of a dissolved group
_CHUNK = 20_000  # steps between two checks for an interruption
_MANY = 10_000  # steps, some tenths of a second, from which a second thread tries steps ahead
LARGEST_K = 256  # a step compares all pairs of its records: for larger k, groups are left unchanged


def refine(records: Records, group: Integers, k: int, rng: np.random.Generator, iterations: int) -> Integers:
    """A partition at least as good as the given one, its groups of k to 2k-1 records numbered from 0.

    The given groups must have k to 2k-1 records each.
    """
    group = np.unique(group, return_inverse=True)[1].astype(np.int64)
    groups = int(group.max(initial=-1)) + 1
    if groups < 2 or k < 2 or k > LARGEST_K:
        return group
    lists = neighbour_lists(records, _LIST, rng)
    start = start_stream(rng)
    stream, state, step = start.copy(), partition_of(group.copy(), k), empty_step(most_groups(k), k)
    heat = _HEAT * min(1.0, iterations / (100.0 * groups))
    with _helped(records, state, lists, k, start, iterations) as board:
        change = _search(records, state, lists, step, board, k, start, stream, 0, groups, 0, 0.0)
        for first in range(0, iterations, _CHUNK):
            last = min(first + _CHUNK, iterations)
            give_orders(board, first, _CHUNK, groups)
            change += _search(records, state, lists, step, board, k, start, stream, first, last, iterations, heat)
    return np.unique(state.group, return_inverse=True)[1].astype(np.int64) if change < 0.0 else group


def default_iterations(n: int, k: int) -> int:
    """Steps for a few seconds: 500 per group in small files, seven per group for 100,000 records, at least five."""
    groups = n // k
    pooled = 0.5 * (2 + most_groups(k)) * k  # records of a step; its time grows with their pairs
    return int(max(min(500 * groups, 1e8 / (pooled**2 + 100)), 5 * groups))


def most_groups(k: int) -> int:
    """Most groups that a step dissolves, so that it has some dozens of records."""
    return min(max(64 // k, 2), 8)


@contextmanager
def _helped(
    records: Records, state: Partition, lists: Integers, k: int, start: State, iterations: int
) -> Iterator[Board]:
    """A board on which another thread puts steps that it tries ahead, if that is worth its while."""
    step = empty_step(most_groups(k), k)
    if iterations < _MANY or not has_spare_processor():
        yield new_board(step, has_helper=False)
        return
    board, stream = new_board(step, has_helper=True), start.copy()
    with helped_by(lambda: run_ahead(board, records, state, lists, step, k, start, stream), lambda: dismiss(board)):
        yield board


@jit
def _search(
    records: Records,
    state: Partition,
    lists: Integers,
    step: Step,
    board: Board,
    k: int,
    start: State,
    stream: State,
    first: int,
    last: int,
    iterations: int,
    heat: float,
) -> float:
    """Make steps `first` to `last`; returns the change of the sum of squares.

    Without iterations, a step relocates and swaps between the group with its number and the nearest groups.
    """
    change, place, accepted, taken = 0.0, board.tally[PLACE], ZERO, ZERO
    for number in range(first, last):
        if iterations > 0:
            tell_place(board, place)
            go_to(stream, start, place)
            groups = draw_groups(state, lists, step.chosen, stream)
            slot = tried_ahead(board, state, step.chosen, groups, place)
        else:
            groups = choose_groups(state, lists, state.members[number, 0], len(step.chosen) - 1, step.chosen)
            slot = MINUS_ONE
        if slot >= 0:
            taken += 1
            differs, facts, sums = board.differs[slot], board.facts[slot], board.sums[slot]
            members, label = board.records[slot], board.label[slot]
        else:
            count = gather(state, step, groups, k)
            differs = regroup_members(records, step, groups, count, k, stream, iterations > 0)
            facts, sums, members, label = step.facts, step.sums, step.pool.records, step.pool.label
        if iterations > 0:
            place += facts[DRAWS]
        if not differs:
            continue
        worst = sums[BEFORE]
        if iterations > 0:
            temperature = heat * (1.0 - number / iterations) ** 2 * sums[BEFORE] / facts[GROUPS]
            worst -= temperature * math.log(1.0 - sums[LUCK])
        if sums[AFTER] < worst:
            write_groups(state, members, label, step.chosen, facts)
            change += sums[AFTER] - sums[BEFORE]
            accepted += 1
    board.tally[PLACE], board.tally[ACCEPTED], board.tally[TAKEN] = place, accepted, taken
    return change
