"""One step of the search for better groups: which groups it takes, what it would make of them, and the change itself.

A step draws a record, takes its group and the nearest ones, forms one fewer, as many, or one more groups of their
records around random seeds, and relocates and swaps records until nothing improves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.grouping.mixed_records import Records
from ammg.kernels.grouping.pool_search import (
    Pool,
    add_up,
    empty_pool,
    improve,
    measure_distances,
    regroup,
    squares_within,
)
from ammg.kernels.jit import ONE, ZERO, jit_part
from ammg.kernels.processor import store
from ammg.kernels.splitmix import State, next_uniform

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

GROUPS, NEW_GROUPS, COUNT, DRAWS = range(4)
"""Facts of a step: groups before and after, their records, and the random numbers drawn."""
BEFORE, AFTER, LUCK = range(3)
"""Sums of a step: squares within the groups before and after, and the random number that decides about it."""


class Partition(NamedTuple):
    """Groups of records, and their numbers in use."""

    group: Integers
    members: Integers  # of each group
    size: Integers
    vacant: Integers  # numbers of empty groups
    vacancies: Integers  # how many
    version: Integers  # of each group: how often it has changed


class Step(NamedTuple):
    """A step and what it would make of the groups: working memory."""

    pool: Pool  # the records, and as labels their new groups
    chosen: Integers  # the groups it takes
    version: Integers  # of these groups
    facts: Integers
    sums: Floats


def partition_of(group: Integers, k: int) -> Partition:
    """The groups with room for more of them."""
    rooms = max(len(group) // k, int(group.max()) + 1)
    size = np.bincount(group, minlength=rooms).astype(np.int64)
    members = np.full((rooms, 2 * k - 1), -1, dtype=np.int64)
    order = np.argsort(group, kind="stable")
    starts = np.cumsum(size) - size
    members[group[order], np.arange(len(group)) - starts[group[order]]] = order
    empty = np.flatnonzero(size == 0).astype(np.int64)
    vacant = np.empty(rooms, dtype=np.int64)
    vacant[: len(empty)] = empty
    return Partition(group, members, size, vacant, np.array([len(empty)]), np.zeros(rooms, np.int64))


def empty_step(most: int, k: int) -> Step:
    """Working memory for a step that takes at most so many groups."""
    chosen, version = np.zeros((2, most + 1), np.int64)
    return Step(empty_pool(most * (2 * k - 1), most + 1), chosen, version, np.zeros(4, np.int64), np.zeros(3))


@jit_part
def draw_groups(state: Partition, lists: Integers, chosen: Integers, stream: State) -> int:
    """Choose the groups of a random step; returns their number."""
    record = int(next_uniform(stream) * len(state.group))
    return choose_groups(state, lists, record, 2 + int(next_uniform(stream) * (len(chosen) - 2)), chosen)


@jit_part
def choose_groups(state: Partition, lists: Integers, record: int, wanted: int, chosen: Integers) -> int:
    """Choose a record's group and its nearest ones; returns their number.

    Groups come in the order of the record's neighbours, then of the neighbours of the other records in its group.
    """
    chosen[0] = state.group[record]
    groups = ONE
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
    return groups


@jit_part
def gather(state: Partition, step: Step, groups: int, k: int) -> int:
    """Put the members of the chosen groups into the pool; returns their number.

    It is 0 if another thread is just changing one of the groups.
    """
    count = ZERO
    for g in range(groups):
        size = state.size[step.chosen[g]]
        if size < k:
            return ZERO
        for m in range(size):
            record = state.members[step.chosen[g], m]
            if record < 0:
                return ZERO
            step.pool.records[count] = record
            step.pool.label[count] = g
            count += 1
    return count


@jit_part
def regroup_members(records: Records, step: Step, groups: int, count: int, k: int, stream: State, anew: bool) -> bool:
    """Improve the groups of the records in the pool, or new random ones; returns whether they differ from the old."""
    facts, sums, pool = step.facts, step.sums, step.pool
    measure_distances(pool, count, records)
    before = add_up(pool, count, groups)
    sums[BEFORE], facts[GROUPS], facts[COUNT], facts[DRAWS] = before, groups, count, 2
    if before == 0.0:
        return False
    new_groups = groups
    if anew:
        new_groups = groups - 1 + int(next_uniform(stream) * 3.0)
        new_groups = min(max(new_groups, (count + 2 * k - 2) // (2 * k - 1)), count // k)
        regroup(pool, count, new_groups, k, stream)
        add_up(pool, count, new_groups)
    improve(pool, count, new_groups, k)
    after = squares_within(pool, new_groups)
    sums[AFTER], facts[NEW_GROUPS], facts[DRAWS] = after, new_groups, 4 + new_groups
    sums[LUCK] = 0.0
    if not anew:
        return after < before
    if abs(after - before) <= 1e-9 * before:
        return False
    sums[LUCK] = next_uniform(stream)
    facts[DRAWS] += 1
    return True


@jit_part
def write_groups(state: Partition, members: Integers, label: Integers, chosen: Integers, facts: Integers) -> None:
    """Let the chosen groups have these members, releasing or taking group numbers as needed."""
    groups, new_groups = facts[GROUPS], facts[NEW_GROUPS]
    for g in range(groups):
        state.size[chosen[g]] = 0
    for g in range(new_groups, groups):
        state.vacant[state.vacancies[0]] = chosen[g]
        state.vacancies[0] += 1
    for g in range(groups, new_groups):
        state.vacancies[0] -= 1
        chosen[g] = state.vacant[state.vacancies[0]]
    for s in range(facts[COUNT]):
        g = chosen[label[s]]
        state.group[members[s]] = g
        state.members[g, state.size[g]] = members[s]
        state.size[g] += 1
    for g in range(max(groups, new_groups)):
        store(state.version, chosen[g], state.version[chosen[g]] + 1)
