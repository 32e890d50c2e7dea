"""Better groups by iterated local search: dissolve a few neighbouring groups, regroup, improve, keep improvements.

Lourenço, Martin and Stützle (2003) for the scheme. A step takes two to eight neighbouring groups, forms one fewer, as
many, or one more groups of their records around random seeds, and relocates and swaps records until nothing improves.
At first, a step that costs a little is also accepted, with a probability that falls to zero (Kirkpatrick, Gelatt and
Vecchi 1983), which helps in files whose groups are dissolved often. A step looks at a few dozen records whatever the
size of the file.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.grouping.mixed_records import Records
from ammg.kernels.grouping.neighbour_lists import neighbour_lists
from ammg.kernels.grouping.pool_search import (
    Pool,
    add_up,
    empty_pool,
    improve,
    measure_distances,
    regroup,
    squares_within,
)
from ammg.kernels.jit import jit, jit_part
from ammg.kernels.splitmix import State, next_uniform, start_stream

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_LIST = 12  # neighbours by which a step finds the next groups
_HEAT = 0.4  # first temperature, in mean sums of squares of a dissolved group
_CHUNK = 20_000  # steps between two checks for an interruption
LARGEST_K = 256  # a step compares all pairs of its records: for larger k, groups are left unchanged


def refine(records: Records, group: Integers, k: int, rng: np.random.Generator, iterations: int) -> Integers:
    """A partition at least as good as the given one, its groups of k to 2k-1 records numbered from 0.

    The given groups must have k to 2k-1 records each.
    """
    group = np.unique(group, return_inverse=True)[1].astype(np.int64)
    groups = int(group.max(initial=-1)) + 1
    if groups < 2 or k < 2 or k > LARGEST_K:
        return group
    most = most_groups(k)
    pool = empty_pool(most * (2 * k - 1), most + 1)
    lists = neighbour_lists(records, _LIST, rng)
    stream = start_stream(rng)
    state = _state(group.copy(), k)
    chosen = np.empty(most + 1, dtype=np.int64)
    change = _search(records, state, lists, pool, chosen, k, stream, 0, groups, 0, 0.0)
    heat = _HEAT * min(1.0, iterations / (100.0 * groups))
    for first in range(0, iterations, _CHUNK):
        last = min(first + _CHUNK, iterations)
        change += _search(records, state, lists, pool, chosen, k, stream, first, last, iterations, heat)
    return np.unique(state.group, return_inverse=True)[1].astype(np.int64) if change < 0.0 else group


def default_iterations(n: int, k: int) -> int:
    """Steps for a few seconds: 500 per group in small files, seven per group for 100,000 records, at least five."""
    groups = n // k
    pooled = 0.5 * (2 + most_groups(k)) * k  # records of a step; its time grows with their pairs
    return int(max(min(500 * groups, 1e8 / (pooled**2 + 100)), 5 * groups))


def most_groups(k: int) -> int:
    """Most groups that a step dissolves, so that it has some dozens of records."""
    return min(max(64 // k, 2), 8)


class _Partition(NamedTuple):
    group: Integers
    members: Integers  # of each group
    size: Integers
    vacant: Integers  # numbers of empty groups
    vacancies: Integers  # how many


def _state(group: Integers, k: int) -> _Partition:
    rooms = max(len(group) // k, int(group.max()) + 1)
    size = np.bincount(group, minlength=rooms).astype(np.int64)
    members = np.full((rooms, 2 * k - 1), -1, dtype=np.int64)
    order = np.argsort(group, kind="stable")
    starts = np.cumsum(size) - size
    members[group[order], np.arange(len(group)) - starts[group[order]]] = order
    empty = np.flatnonzero(size == 0).astype(np.int64)
    vacant = np.empty(rooms, dtype=np.int64)
    vacant[: len(empty)] = empty
    return _Partition(group, members, size, vacant, np.array([len(empty)], dtype=np.int64))


@jit
def _search(
    records: Records,
    state: _Partition,
    lists: Integers,
    pool: Pool,
    chosen: Integers,
    k: int,
    stream: State,
    first: int,
    last: int,
    iterations: int,
    heat: float,
) -> float:
    """Run steps `first` to `last` of the search; returns the change of the sum of squares.

    Without iterations, a step relocates and swaps between the group with its number and the neighbouring groups.
    """
    most = len(chosen) - 1
    change = 0.0
    for step in range(first, last):
        if iterations > 0:
            record = int(next_uniform(stream) * len(state.group))
            wanted = 2 + int(next_uniform(stream) * (most - 1))
        else:
            record, wanted = state.members[step, 0], most
        groups, count = _gather(state, lists, record, wanted, pool, chosen)
        measure_distances(pool, count, records)
        before = add_up(pool, count, groups)
        if before == 0.0:
            continue
        new_groups, worst = groups, before
        if iterations > 0:
            new_groups = groups - 1 + int(next_uniform(stream) * 3.0)
            new_groups = min(max(new_groups, (count + 2 * k - 2) // (2 * k - 1)), count // k)
            regroup(pool, count, new_groups, k, stream)
            add_up(pool, count, new_groups)
        improve(pool, count, new_groups, k)
        after = squares_within(pool, new_groups)
        if iterations > 0:
            if abs(after - before) <= 1e-9 * before:  # the same groups again
                continue
            temperature = heat * (1.0 - step / iterations) ** 2 * before / groups
            worst = before - temperature * math.log(1.0 - next_uniform(stream))
        if after < worst:
            _store(state, pool, count, groups, new_groups, chosen)
            change += after - before
    return change


@jit_part
def _gather(
    state: _Partition, lists: Integers, record: int, wanted: int, pool: Pool, chosen: Integers
) -> tuple[int, int]:
    """Put a record's group and its nearest groups into the pool; returns the number of groups and of records.

    Groups come in the order of the record's neighbours, then of the neighbours of the other records in its group.
    """
    chosen[0] = state.group[record]
    groups = 1
    for m in range(-1, state.size[chosen[0]]):
        centre = record if m < 0 else state.members[chosen[0], m]
        for t in range(lists.shape[1]):
            if groups < wanted and lists[centre, t] >= 0:
                candidate = state.group[lists[centre, t]]
                known = False
                for g in range(groups):
                    known |= chosen[g] == candidate
                if not known:
                    chosen[groups] = candidate
                    groups += 1
    count = 0
    for g in range(groups):
        for m in range(state.size[chosen[g]]):
            pool.records[count] = state.members[chosen[g], m]
            pool.label[count] = g
            count += 1
    return groups, count


@jit_part
def _store(state: _Partition, pool: Pool, count: int, groups: int, new_groups: int, chosen: Integers) -> None:
    """Write the pool's groups back, releasing or taking group numbers as needed."""
    for g in range(groups):
        state.size[chosen[g]] = 0
    for g in range(new_groups, groups):
        state.vacant[state.vacancies[0]] = chosen[g]
        state.vacancies[0] += 1
    for g in range(groups, new_groups):
        state.vacancies[0] -= 1
        chosen[g] = state.vacant[state.vacancies[0]]
    for s in range(count):
        g = chosen[pool.label[s]]
        state.group[pool.records[s]] = g
        state.members[g, state.size[g]] = pool.records[s]
        state.size[g] += 1
