"""Groups of k to 2k-1 records with the least loss if each is released with the values its group has in common.

A search by moves between neighbouring groups: a record changes groups, two records are exchanged, or both groups are
split anew along one key. At first, a move that costs a little is also accepted, with a probability that falls to zero
(Kirkpatrick, Gelatt and Vecchi 1983). A move looks at two groups, whatever the size of the file.

Few moves are accepted. So threads first try a batch of moves on the groups as they are; then those that would be
accepted, or whose groups have changed since, are made one after the other. The result is that of making all in order.
"""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.jit import ZERO, jit, jit_part
from ammg.kernels.recoding.key_spans import KeySpans, lost_by
from ammg.kernels.splitmix import State, go_to, next_uniform, start_stream
from ammg.kernels.threads import is_worker, processors
from ammg.progress import tick

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_HEAT = 0.25  # first temperature, in mean losses of a record
_BATCH, _BLOCK = 2_000, 500  # moves between two checks for an interruption, and tried by a thread at a time
_DRAWS = 4  # random numbers of a move
_IN_VAIN, _PAUSE = 0.25, 16_000  # share of a batch made after all, from which so many moves are not tried before
_CUTS = 0.15  # share of moves that split two groups anew


class _Groups(NamedTuple):
    group: Ints
    members: Ints
    size: Ints
    lost: Floats


class _Pair(NamedTuple):
    """Working memory for the members of two groups, twice, for their order along a key, and for random numbers."""

    here: Ints
    best: Ints
    along: Floats
    stream: State
    ones: Ints


def search_classes(keys: KeySpans, group: Ints, k: int, lists: Ints, rng: np.random.Generator, moves: int) -> Ints:
    """Groups with at most the loss of the given ones, which have k to 2k-1 records each.

    Args:
        keys: One row per record.
        group: The groups to begin with, numbered from 0.
        k: Least records in a group.
        lists: Nearby records of each, -1 if there are fewer.
        rng: Generator of the search.
        moves: Number of moves to try.
    """
    groups = int(group.max(initial=-1)) + 1
    if groups < 2 or moves < 1:
        return group
    state = _started(keys, group.copy(), k)
    before = float(state.lost.sum())
    ones = np.ones(len(group), np.int64)
    start = start_stream(rng)
    heat = _HEAT * before / len(group)
    promising, changed = np.empty(_BATCH, np.bool_), np.empty(groups, np.bool_)

    def run(first: int, makes: bool, begin: int, end: int) -> int:
        here, best = np.zeros((2, 4 * k), np.int64)
        room = _Pair(here, best, np.zeros(4 * k), start.copy(), ones)
        span, those = (first + begin, first + end), promising[begin:end]
        return _search(keys, state, lists, room, k, start, *span, moves, heat, those, changed, makes)

    has_threads, tried_from = processors() > 1 and not is_worker(), 0
    for first in range(0, moves, _BATCH):
        last = min(first + _BATCH, moves)
        promising[:], changed[:] = True, False
        if is_tried := has_threads and first >= tried_from:
            over_blocks(partial(run, first, False), last - first, block=_BLOCK, brief=True)
        made = run(first, True, 0, last - first)
        if is_tried and made > _IN_VAIN * (last - first):
            tried_from = last + _PAUSE
        tick(last, moves)
    return state.group if float(state.lost.sum()) < before else group


def _started(keys: KeySpans, group: Ints, k: int) -> _Groups:
    size = np.bincount(group).astype(np.int64)
    members = np.full((len(size), 2 * k), -1, dtype=np.int64)
    order = np.argsort(group, kind="stable")
    starts = np.cumsum(size) - size
    members[group[order], np.arange(len(group)) - starts[group[order]]] = order
    lost = np.zeros(len(size))
    _lose(keys, members, size, np.ones(len(group), np.int64), lost)
    return _Groups(group, members, size, lost)


@jit
def _lose(keys: KeySpans, members: Ints, size: Ints, ones: Ints, lost: Floats) -> None:
    for g in range(len(size)):
        lost[g] = lost_by(keys, members[g], np.int64(0), size[g], ones)


@jit
def _search(
    keys: KeySpans,
    state: _Groups,
    lists: Ints,
    room: _Pair,
    k: int,
    start: State,
    first: int,
    last: int,
    moves: int,
    heat: float,
    promising: NDArray[np.bool_],
    changed: NDArray[np.bool_],
    makes: bool,
) -> int:
    """Moves `first` to `last`, each the best of its kind between the group of a random record and a neighbour.

    `makes` those that are promising or concern a changed group, and returns how many; else says which are promising.
    """
    stream, made = room.stream, 0
    go_to(stream, start, _DRAWS * first)
    for move in range(first, last):
        record = int(next_uniform(stream) * len(state.group))
        one = state.group[record]
        near = lists[record, int(next_uniform(stream) * lists.shape[1])]
        cuts = next_uniform(stream) < _CUTS
        luck = 1.0 - next_uniform(stream)
        other = one if near < 0 else state.group[near]
        if makes and not (promising[move - first] or changed[one] or changed[other]):
            continue
        promising[move - first] = False
        before = state.lost[one] + state.lost[other]
        if one == other or before == 0.0:
            continue
        made += 1
        worst = -heat * (1.0 - move / moves) ** 2 * math.log(luck)
        if cuts:
            after, left = _cut_anew(keys, state, room, one, other, k)
        else:
            after, left = _exchange(keys, state, room, record, one, other, k)
        if left > 0 and after < before + worst and abs(after - before) > 1e-12 * before:
            if makes:
                _store(keys, state, room, one, other, left)
                changed[one] = changed[other] = True
            else:
                promising[move - first] = True
    return made


@jit_part
def _exchange(
    keys: KeySpans, state: _Groups, room: _Pair, record: int, one: int, other: int, k: int
) -> tuple[float, int]:
    """The best of moving a record to the other group and exchanging it for one of its members.

    Returns the loss of both groups then, and how many of `room.best` form the first group; 0 if no move is possible.
    """
    mine, theirs = state.size[one], state.size[other]
    best, left = np.inf, 0
    for m in range(-1, theirs):
        if m < 0 and (mine <= k or theirs >= 2 * k - 1):
            continue
        count = ZERO
        for s in range(mine):
            if state.members[one, s] != record:
                room.here[count] = state.members[one, s]
                count += 1
        if m >= 0:
            room.here[count] = state.members[other, m]
            count += 1
        middle = count
        for s in range(theirs):
            if s != m:
                room.here[count] = state.members[other, s]
                count += 1
        room.here[count] = record
        count += 1
        after = lost_by(keys, room.here, np.int64(0), middle, room.ones)
        if after < best:
            after += lost_by(keys, room.here, middle, count, room.ones)
        if after < best:
            best, left = after, middle
            for s in range(count):
                room.best[s] = room.here[s]
    return best, left


@jit_part
def _cut_anew(keys: KeySpans, state: _Groups, room: _Pair, one: int, other: int, k: int) -> tuple[float, int]:
    """The best split of the members of both groups along one key."""
    count = ZERO
    for g in (one, other):
        for s in range(state.size[g]):
            room.here[count] = state.members[g, s]
            count += 1
    best, left = np.inf, 0
    numbers = keys.numbers.shape[1]
    for j in range(numbers + keys.classes.shape[1]):
        for s in range(count):
            if j < numbers:
                value = keys.numbers[room.here[s], j]
                room.along[s] = value if value == value else -np.inf
            else:  # one class after the other, the coarsest first
                value = 0.0
                for level in range(keys.classes.shape[2] - 1, -1, -1):
                    value = value * 4096.0 + keys.classes[room.here[s], j - numbers, level]
                room.along[s] = value
        _sort(room, count)
        for middle in range(max(k, count - (2 * k - 1)), min(count - k, 2 * k - 1) + 1):
            if room.along[middle - 1] == room.along[middle]:
                continue
            after = lost_by(keys, room.here, np.int64(0), middle, room.ones)
            if after < best:
                after += lost_by(keys, room.here, middle, count, room.ones)
            if after < best:
                best, left = after, middle
                for s in range(count):
                    room.best[s] = room.here[s]
    return best, left


@jit_part
def _sort(room: _Pair, count: int) -> None:
    """Sort the members, which are few, by `along`."""
    for s in range(1, count):
        value, row = room.along[s], room.here[s]
        place = s
        while place > 0 and room.along[place - 1] > value:
            room.along[place], room.here[place] = room.along[place - 1], room.here[place - 1]
            place -= 1
        room.along[place], room.here[place] = value, row


@jit_part
def _store(keys: KeySpans, state: _Groups, room: _Pair, one: int, other: int, left: int) -> None:
    count = state.size[one] + state.size[other]
    state.size[one], state.size[other] = left, count - left
    for s in range(count):
        g, place = (one, s) if s < left else (other, s - left)
        state.members[g, place] = room.best[s]
        state.group[room.best[s]] = g
    state.lost[one] = lost_by(keys, state.members[one], np.int64(0), left, room.ones)
    state.lost[other] = lost_by(keys, state.members[other], np.int64(0), count - left, room.ones)
