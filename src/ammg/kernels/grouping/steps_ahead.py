"""Steps of the search for better groups that a second thread tries ahead of the first, which makes them.

Random numbers are counted, so a step begins at a known place of their sequence; how many it draws depends on what it
finds. The helper starts some steps ahead, at any place. Soon the main thread comes to a place where the helper began a
step, and from there on both go the same way: the main thread takes over what the helper found, until it has caught up
and the helper goes ahead again. A step is taken over only if it chooses the same groups and none of them has changed
since, so results do not depend on the helper.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.grouping.mixed_records import Records
from ammg.kernels.grouping.search_step import (
    DRAWS,
    GROUPS,
    Partition,
    Step,
    draw_groups,
    gather,
    regroup_members,
)
from ammg.kernels.jit import MINUS_ONE, TRUE, ZERO, jit, jit_part
from ammg.kernels.processor import APART, END, IDLE, REST, WORK, give_way, load, rest, store
from ammg.kernels.splitmix import State, go_to

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_SLOTS = 512
_REACHED, _WRITTEN, _READ, _ORDER, _LEAP = (APART * number for number in range(5))
PLACE, ACCEPTED, TAKEN, _PAUSE = range(4)
_NEAR = 30  # random numbers, some steps, up to which the threads would try the same steps


class Board(NamedTuple):
    """What the threads share. The helper writes slots, the main thread reads them in their order."""

    flags: Integers  # place of the main thread, slots written and read, what the helper is to do, how far it leaps
    places: Integers  # where the step of a slot begins
    differs: NDArray[np.bool_]
    facts: Integers
    sums: Floats
    chosen: Integers
    version: Integers
    records: Integers
    label: Integers
    tally: Integers  # of the main thread: place; accepted and taken of its last steps; steps until which to rest


def new_board(step: Step, *, has_helper: bool) -> Board:
    """An empty board."""
    slots = _SLOTS if has_helper else 1
    most, members = len(step.chosen), len(step.pool.records)
    flags = np.zeros(5 * APART, np.int64)
    flags[_ORDER] = REST
    return Board(
        flags,
        np.zeros(slots, np.int64),
        np.zeros(slots, np.bool_),
        np.zeros((slots, len(step.facts)), np.int64),
        np.zeros((slots, len(step.sums))),
        np.zeros((slots, most), np.int64),
        np.zeros((slots, most), np.int64),
        np.zeros((slots, members), np.int64),
        np.zeros((slots, members), np.int64),
        np.zeros(4, np.int64),
    )


def give_orders(board: Board, done: int, steps: int, groups: int) -> None:
    """Say how far ahead the helper works from now on, or that it rests because little of its work was of use.

    Each leap costs about ten steps until both threads are at the same place, and the farther it goes, the more of the
    chosen groups change meanwhile.
    """
    tally = board.tally
    accepted, draws = (tally[ACCEPTED] / steps, tally[PLACE] / done) if done else (0.25, 10.0)
    ahead = min(max(0.3 * math.sqrt(groups / max(accepted, 1e-3)), 16.0), 200.0)
    if done and done > tally[_PAUSE] and tally[TAKEN] < 0.1 * steps:
        tally[_PAUSE] = done + 4 * steps
    board.flags[_LEAP] = int(ahead * draws)
    board.flags[_ORDER] = REST if done < tally[_PAUSE] else WORK


def dismiss(board: Board) -> None:
    """Tell the helper to end."""
    board.flags[_ORDER] = END


@jit
def run_ahead(
    board: Board, records: Records, state: Partition, lists: Integers, step: Step, k: int, start: State, stream: State
) -> None:
    """Try steps ahead of the main thread until told to end."""
    place, written, idle = ZERO, ZERO, ZERO
    told = load(board.flags, _ORDER)
    while told != END:
        told = load(board.flags, _ORDER)
        reached = load(board.flags, _REACHED)
        if told == REST:
            rest(np.uint32(1_000))
            continue
        if place <= reached + _NEAR:
            place = reached + load(board.flags, _LEAP)
        if written - load(board.flags, _READ) >= len(board.places):
            idle += 1
            if idle > IDLE:
                give_way()
            continue
        idle = ZERO
        go_to(stream, start, place)
        groups = draw_groups(state, lists, step.chosen, stream)
        for g in range(groups):
            step.version[g] = load(state.version, step.chosen[g])
        count = gather(state, step, groups, k)
        if count == 0:
            continue
        slot = written % len(board.places)
        board.differs[slot] = regroup_members(records, step, groups, count, k, stream, TRUE)
        board.places[slot] = place
        _copy(board.facts[slot], step.facts, len(step.facts))
        for i in range(len(step.sums)):
            board.sums[slot, i] = step.sums[i]
        _copy(board.chosen[slot], step.chosen, groups)
        _copy(board.version[slot], step.version, groups)
        _copy(board.records[slot], step.pool.records, count)
        _copy(board.label[slot], step.pool.label, count)
        written += 1
        store(board.flags, _WRITTEN, written)
        place += step.facts[DRAWS]


@jit_part
def _copy(target: Integers, values: Integers, count: int) -> None:
    for i in range(count):
        target[i] = values[i]


@jit_part
def tried_ahead(board: Board, state: Partition, chosen: Integers, groups: int, place: int) -> int:
    """The slot of the step that begins at a place, with these groups as they are now; -1 if there is none."""
    read, written = load(board.flags, _READ), load(board.flags, _WRITTEN)
    while read < written and board.places[read % len(board.places)] < place:
        read += 1
    store(board.flags, _READ, read)
    slot: int = read % len(board.places)
    if read == written or board.places[slot] != place or board.facts[slot, GROUPS] != groups:
        return MINUS_ONE
    for g in range(groups):
        if board.chosen[slot, g] != chosen[g] or board.version[slot, g] != state.version[chosen[g]]:
            return MINUS_ONE
    return slot


@jit_part
def tell_place(board: Board, place: int) -> None:
    """Let the helper see where the main thread is."""
    store(board.flags, _REACHED, place)
