"""The best groups of a few dozen records: random regrouping, then relocations and swaps until none helps.

It uses only the pairwise squared distances of the pool. The sum of squares of a group about its mean is the sum of the
squared distances of its pairs over its size, so moves are evaluated from sums of distances alone, whatever the
dissimilarity.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.grouping.mixed_records import Records, dissimilarity
from ammg.kernels.jit import jit_part
from ammg.kernels.splitmix import State, next_uniform

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_GAIN = 1e-10  # least relative gain of a move, so that rounding cannot keep the search going


class Pool(NamedTuple):
    """Working memory for one pool; only the first `count` entries are in use."""

    records: Integers
    distances: Floats  # squared, of each pair
    label: Integers  # group of each member
    to_group: Floats  # sum of the distances from each member to each group
    pairs: Floats  # sum of the distances of the pairs of each group
    size: Integers  # of each group
    reach: Floats  # scratch: distance to the nearest seed
    seeds: Integers


def empty_pool(members: int, groups: int) -> Pool:
    """Working memory for that many members and groups."""
    return Pool(
        np.empty(members, dtype=np.int64),
        np.empty((members, members)),
        np.empty(members, dtype=np.int64),
        np.empty((members, groups)),
        np.empty(groups),
        np.empty(groups, dtype=np.int64),
        np.empty(members),
        np.empty(groups, dtype=np.int64),
    )


@jit_part
def measure_distances(pool: Pool, count: int, records: Records) -> None:
    """Fill in the distances of the members."""
    for s in range(count):
        pool.distances[s, s] = 0.0
        for t in range(s):
            distance = dissimilarity(records, pool.records[s], pool.records[t])
            pool.distances[s, t] = distance
            pool.distances[t, s] = distance


@jit_part
def add_up(pool: Pool, count: int, groups: int) -> float:
    """Update the sums according to the labels; returns the sum of squares within the groups."""
    for g in range(groups):
        pool.size[g] = 0
        pool.pairs[g] = 0.0
        for s in range(count):
            pool.to_group[s, g] = 0.0
    for s in range(count):
        g = pool.label[s]
        pool.size[g] += 1
        for t in range(count):
            pool.to_group[t, g] += pool.distances[s, t]
    for s in range(count):
        pool.pairs[pool.label[s]] += 0.5 * pool.to_group[s, pool.label[s]]
    return squares_within(pool, groups)


@jit_part
def squares_within(pool: Pool, groups: int) -> float:
    """Sum of squares about the group means."""
    total = 0.0
    for g in range(groups):
        total += pool.pairs[g] / pool.size[g]
    return total


@jit_part
def improve(pool: Pool, count: int, groups: int, k: int) -> None:
    """Relocate and swap members while that lowers the sum of squares; sizes stay between k and 2k-1."""
    least = _GAIN * squares_within(pool, groups)
    distances, label, to_group, pairs, size = pool.distances, pool.label, pool.to_group, pool.pairs, pool.size
    improved = True
    while improved:
        improved = False
        for s in range(count):
            a = label[s]
            target = _best_target(to_group, pairs, size, groups, k, s, a, least) if size[a] > k else -1
            if target >= 0:
                pairs[a] -= to_group[s, a]
                pairs[target] += to_group[s, target]
                size[a] -= 1
                size[target] += 1
                label[s] = target
                for t in range(count):
                    to_group[t, a] -= distances[s, t]
                    to_group[t, target] += distances[s, t]
                a = target
                improved = True
            partner = _best_partner(distances, label, to_group, size, count, s, a, least)
            if partner >= 0:
                b, apart = label[partner], distances[s, partner]
                pairs[a] += to_group[partner, a] - to_group[s, a] - apart
                pairs[b] += to_group[s, b] - to_group[partner, b] - apart
                label[s], label[partner] = b, a
                for t in range(count):
                    change = distances[partner, t] - distances[s, t]
                    to_group[t, a] += change
                    to_group[t, b] -= change
                improved = True


@jit_part
def regroup(pool: Pool, count: int, groups: int, k: int, state: State) -> None:
    """Form new groups around seeds far from each other (Arthur and Vassilvitskii 2007).

    Each seed takes its k-1 nearest; the rest joins the nearest seed whose group has room.
    """
    _choose_seeds(pool, count, groups, state)
    for s in range(count):
        pool.label[s] = -1
    for g in range(groups):
        pool.label[pool.seeds[g]] = g
    for g in range(groups):
        seed = pool.seeds[g]
        for _ in range(k - 1):
            nearest = -1
            for s in range(count):
                if pool.label[s] < 0 and (nearest < 0 or pool.distances[seed, s] < pool.distances[seed, nearest]):
                    nearest = s
            pool.label[nearest] = g
        pool.size[g] = k
    for s in range(count):
        if pool.label[s] < 0:
            home = -1
            for g in range(groups):
                if pool.size[g] < 2 * k - 1 and (
                    home < 0 or pool.distances[s, pool.seeds[g]] < pool.distances[s, pool.seeds[home]]
                ):
                    home = g
            pool.label[s] = home
            pool.size[home] += 1


@jit_part
def _choose_seeds(pool: Pool, count: int, groups: int, state: State) -> None:
    """Seeds drawn with probability proportional to the squared distance from those drawn before."""
    for s in range(count):
        pool.reach[s] = np.inf
    seed = int(next_uniform(state) * count)
    for g in range(groups):
        pool.seeds[g] = seed
        total = 0.0
        for s in range(count):
            if pool.reach[s] >= 0.0:
                pool.reach[s] = min(pool.reach[s], pool.distances[seed, s])
        pool.reach[seed] = -1.0  # taken, even among identical records
        for s in range(count):
            total += max(pool.reach[s], 0.0)
        draw = next_uniform(state) * total
        for s in range(count):
            if pool.reach[s] >= 0.0:
                seed = s
                draw -= pool.reach[s]
                if draw < 0.0:
                    break


@jit_part
def _best_target(
    to_group: Floats, pairs: Floats, size: Integers, groups: int, k: int, s: int, a: int, least: float
) -> int:
    """The best group to which member s of group a can be relocated; -1 if no relocation helps."""
    leave = (pairs[a] - to_group[s, a]) / (size[a] - 1) - pairs[a] / size[a]
    best, target = -least, -1
    for b in range(groups):
        if b != a and size[b] < 2 * k - 1:
            change = leave + (pairs[b] + to_group[s, b]) / (size[b] + 1) - pairs[b] / size[b]
            if change < best:
                best, target = change, b
    return target


@jit_part
def _best_partner(
    distances: Floats, label: Integers, to_group: Floats, size: Integers, count: int, s: int, a: int, least: float
) -> int:
    """The best member of another group to swap with member s of group a; -1 if no swap helps."""
    own, share = to_group[s, a], 1.0 / size[a]
    best, partner = -least, -1
    for t in range(count):
        b = label[t]
        if b != a:
            apart = distances[s, t]
            change = (to_group[t, a] - own - apart) * share + (to_group[s, b] - to_group[t, b] - apart) / size[b]
            if change < best:
                best, partner = change, t
    return partner
