"""Searches that MDAV will need soon, for whichever of two threads is free to do them.

The main thread posts the records that it expects to start from next. Who claims a job looks for the record farthest
from that one, in a tree of its own, and writes it down; nobody waits for a lock. The helper's tree follows the main one
by a log of removals, so it may still hold records that are gone. That does no harm: the farthest of more records is the
farthest of those that remain if it is one of them; otherwise the main thread searches again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.grouping.farthest_records import Outline, find_farthest
from ammg.kernels.grouping.removal_tree import RemovalTree, remove
from ammg.kernels.jit import MINUS_ONE, ONE, ZERO, jit, jit_part
from ammg.kernels.processor import APART, END, IDLE, REST, WORK, give_way, load, replace, rest, store

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_JOBS = 16
_OPEN, _CLAIMED, _DONE = np.int64(0), np.int64(1), np.int64(2)
_REMOVED, _ORDER = _JOBS * APART, (_JOBS + 1) * APART  # places among the states
_TRIAL, _BREAK = 1_000, 4_000  # rounds with a helper before it is judged, and without one that was not of use
_PATIENCE = 200_000  # looks at a claimed job, about 0.1 ms, before the main thread does it itself


class Board(NamedTuple):
    """What the threads share. Only the main thread writes the seeds and the log, only who claimed a job its answer."""

    states: Integers  # of the jobs, then the number of removed records, then what the helper is to do
    seeds: Integers
    farthest: Integers  # from the seed
    by_helper: Integers  # 1 if the helper did the job
    log: Integers  # removed records
    tally: Integers  # of the main thread: next job to write, rounds since the helper was judged, its answers since
    has_helper: bool


class Finder(NamedTuple):
    """A tree that belongs to one thread."""

    tree: RemovalTree
    outline: Outline


def new_board(size: int, *, has_helper: bool) -> Board:
    """A board without jobs for a tree of `size` records."""
    states = np.full((_JOBS + 2) * APART, _DONE)
    states[_REMOVED:] = 0
    seeds, farthest, by_helper = np.full((3, _JOBS), -1)
    return Board(states, seeds, farthest, by_helper, np.empty(size, np.int64), np.zeros(3, np.int64), has_helper)


def copied(finder: Finder) -> Finder:
    """The same for another thread; what never changes is shared."""
    tree, outline = finder.tree, finder.outline
    return Finder(
        tree._replace(
            points=tree.points.copy(),
            ids=tree.ids.copy(),
            slot=tree.slot.copy(),
            start=tree.start.copy(),
            boxes=tree.boxes.copy(),
            stack=tree.stack.copy(),
            bounds=tree.bounds.copy(),
        ),
        outline._replace(
            packs=outline.packs.copy(),
            starts=outline.starts.copy(),
            is_loose=outline.is_loose.copy(),
            known=outline.known.copy(),
            keys=outline.keys.copy(),
            places=outline.places.copy(),
            bounds=outline.bounds.copy(),
            gaps=outline.gaps.copy(),
        ),
    )


@jit
def help_out(board: Board, finder: Finder, data: Floats) -> None:
    """Do jobs until told to end."""
    removed, job, idle = ZERO, ZERO, ZERO
    order = load(board.states, _ORDER)
    while order != END:
        until = load(board.states, _REMOVED)
        while removed < until:
            remove(finder.tree, board.log[removed])
            removed += 1
        job = (job + 1) % _JOBS
        idle += 1
        if order == REST:
            rest(np.uint32(1_000))
        elif load(board.states, job * APART) == _OPEN:
            _do(board, finder, data, job, ONE)
            idle = 0
        elif idle > IDLE:
            give_way()
        order = load(board.states, _ORDER)


def dismiss(board: Board) -> None:
    """Tell the helper to end."""
    board.states[_ORDER] = END


@jit_part
def is_helped(board: Board) -> bool:
    """Whether to post jobs in this round.

    Where other programs keep the processors busy, the helper would answer late and take time from the main thread. So
    it rests for a while if it answered too little.
    """
    if not board.has_helper:
        return False
    board.tally[1] += 1
    is_resting = load(board.states, _ORDER) == REST
    if board.tally[1] >= (_BREAK if is_resting else _TRIAL):
        is_resting = not is_resting and 4 * board.tally[2] < board.tally[1]
        board.tally[1] = board.tally[2] = 0
        store(board.states, _ORDER, REST if is_resting else WORK)
    return not is_resting


@jit_part
def post(board: Board, seeds: Integers) -> None:
    """Offer the searches from some records (-1: from none) that are not on the board yet.

    They take the places of the oldest jobs, but for one that the helper is busy with.
    """
    for i in range(len(seeds)):
        is_new = seeds[i] >= 0
        for job in range(_JOBS):
            is_new &= board.seeds[job] != seeds[i]
        if not is_new:
            continue
        job = board.tally[0]
        board.tally[0] = (job + 1) % _JOBS
        state = load(board.states, job * APART)
        if state == _DONE or (state == _OPEN and replace(board.states, job * APART, _OPEN, _DONE)):
            board.seeds[job] = seeds[i]
            store(board.states, job * APART, _OPEN)


@jit_part
def tell_removed(board: Board, count: int) -> None:
    """Let the helper see the first `count` records of the log."""
    store(board.states, _REMOVED, count)


@jit_part
def farthest_left(board: Board, finder: Finder, data: Floats, seed: int, group: Integers) -> int:
    """The remaining record farthest from `seed`."""
    for job in range(_JOBS):
        if board.seeds[job] == seed and _is_done(board, finder, data, job):
            record: int = board.farthest[job]
            if group[record] < 0:
                board.tally[2] += board.by_helper[job]
                return record
    return find_farthest(finder.tree, finder.outline, data[seed])


@jit_part
def _is_done(board: Board, finder: Finder, data: Floats, job: int) -> bool:
    """Whether a job is done by now; if the helper is busy with it, other jobs are done meanwhile."""
    if load(board.states, job * APART) == _OPEN and replace(board.states, job * APART, _OPEN, _DONE):
        board.seeds[job] = MINUS_ONE
        return False
    if load(board.states, job * APART) == _CLAIMED:
        for other in range(_JOBS):
            if load(board.states, other * APART) == _OPEN:
                _do(board, finder, data, other, ZERO)
                break
    looks = 0
    while load(board.states, job * APART) != _DONE and looks < _PATIENCE:
        looks += 1
    return looks < _PATIENCE


@jit_part
def _do(board: Board, finder: Finder, data: Floats, job: int, by_helper: int) -> None:
    """Claim a job and do it, unless the other thread was faster."""
    if not replace(board.states, job * APART, _OPEN, _CLAIMED):
        return
    board.farthest[job] = find_farthest(finder.tree, finder.outline, data[board.seeds[job]])
    board.by_helper[job] = by_helper
    store(board.states, job * APART, _DONE)
