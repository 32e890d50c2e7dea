"""Distances of many records from one, measured by two threads: each takes the next chunk of records that is left.

The main thread posts one scan after the other and returns from each when all chunks are done, so a second thread may
come late or never. Chunks are numbered through all scans; who raises the number of chunks taken has the chunk.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.grouping.mixed_records import Records, dissimilarity
from ammg.kernels.jit import ONE, ZERO, jit, jit_part
from ammg.kernels.processor import APART, IDLE, give_way, load, replace, store
from ammg.kernels.threads import has_spare_processor, helped_by

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_CHUNK = 512
_MANY = 2_000  # records, less than 0.1 ms, from which a scan is shared
_POSTED, _TAKEN, _HELPED, _FIRST, _SIZE, _ORIGIN, _OWN, _HAS_ENDED = (APART * number for number in range(8))


class Scans(NamedTuple):
    """What the threads share: the records that are left, their distances, and flags.

    The flags are: chunks posted, taken, and done by the helper; the first chunk, the number of records and the origin
    of the present scan; chunks done by the main thread; whether the helper should end.
    """

    left: Integers
    distances: Floats
    flags: Integers


@contextmanager
def shared_scans(records: Records, size: int) -> Iterator[Scans]:
    """Scans of the first `size` records, with another thread beside this one if that is worth its while."""
    scans = Scans(np.arange(size), np.empty(size), np.zeros(8 * APART, np.int64))
    if size < 2 * _MANY or not has_spare_processor():
        yield scans
        return

    def end() -> None:
        scans.flags[_HAS_ENDED] = 1

    with helped_by(lambda: _help_out(records, scans), end):
        yield scans


@jit_part
def measure_from(records: Records, scans: Scans, size: int, origin: int) -> None:
    """Measure the distances of the first `size` records that are left from one record; `size` never grows."""
    flags = scans.flags
    if size < _MANY:
        store(flags, _HAS_ENDED, ONE)  # later scans are no larger
        _measure(records, scans, ZERO, size, origin)
        return
    first, own = flags[_POSTED], ZERO
    posted = first + (size + _CHUNK - 1) // _CHUNK
    flags[_FIRST], flags[_SIZE], flags[_ORIGIN] = first, size, origin
    store(flags, _POSTED, posted)
    taken = load(flags, _TAKEN)
    while taken < posted:
        if replace(flags, _TAKEN, taken, taken + 1):
            _measure_chunk(records, scans, taken)
            own += 1
        taken = load(flags, _TAKEN)
    flags[_OWN] += own
    idle = ZERO
    while load(flags, _HELPED) + flags[_OWN] < posted:
        idle += 1
        if idle > IDLE:
            give_way()


@jit
def _help_out(records: Records, scans: Scans) -> None:
    """Take chunks until told to end."""
    flags, idle, done = scans.flags, ZERO, ZERO
    while load(flags, _HAS_ENDED) == 0:
        taken = load(flags, _TAKEN)
        idle += 1
        if taken < load(flags, _POSTED) and replace(flags, _TAKEN, taken, taken + 1):
            _measure_chunk(records, scans, taken)
            done += 1
            store(flags, _HELPED, done)
            idle = ZERO
        elif idle > IDLE:
            give_way()


@jit_part
def _measure_chunk(records: Records, scans: Scans, chunk: int) -> None:
    start = (chunk - scans.flags[_FIRST]) * _CHUNK
    _measure(records, scans, start, min(start + _CHUNK, scans.flags[_SIZE]), scans.flags[_ORIGIN])


@jit_part
def _measure(records: Records, scans: Scans, start: int, stop: int, origin: int) -> None:
    for t in range(start, stop):
        scans.distances[t] = dissimilarity(records, scans.left[t], origin)
