"""Exchange values of one column with values of similar rank."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit
from ammg.kernels.orders import stable_order

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def swap_ranks(values: Floats, reach: int, rng: np.random.Generator) -> Floats:
    """Swap each value with a free one at most `reach` ranks above it.

    In ascending order of rank, each value not yet swapped draws its partner uniformly among the unswapped ones of the
    next `reach` ranks; if there is none, it stays (Moore 1996; Yancey, Winkler and Creecy 2002). Ties are ranked at
    random. `values` must not contain missing values. Linear time after one sort.
    """
    return values[swap_sources(values, reach, rng)]


def swap_sources(values: Floats, reach: int, rng: np.random.Generator) -> Ints:
    """Positions from which `swap_ranks` takes each value, so that other columns can move along."""
    order = _check_and_rank(values, reach, rng)
    return _sources(order, _pair_in_window(len(values), reach, rng.random(len(values))))


def swap_ranks_normal(values: Floats, reach: int, rng: np.random.Generator) -> Floats:
    """Swap each value with the free one nearest to |N(reach/2, (reach/2)²)| ranks above it.

    The p-distribution of Nin, Herranz and Torra (2008): no rank distance is impossible, so an intruder cannot exclude
    records outside a window.
    """
    return values[normal_sources(values, reach, rng)]


def normal_sources(values: Floats, reach: int, rng: np.random.Generator) -> Ints:
    """Positions from which `swap_ranks_normal` takes each value."""
    order = _check_and_rank(values, reach, rng)
    steps = np.abs(rng.normal(0.5 * reach, 0.5 * reach, len(values)))
    return _sources(order, _pair_at_distance(np.maximum(np.rint(steps), 1.0).astype(np.int64)))


def swap_ranks_buckets(values: Floats, reach: int, rng: np.random.Generator) -> Floats:
    """Swap each value with a free one of its own or a higher bucket of `reach` ranks.

    The p-buckets of Nin, Herranz and Torra (2008): the bucket s of the partner of a value in bucket r is drawn with
    probability proportional to 1/2^(s-r+1), and the partner uniformly within it.
    """
    return values[bucket_sources(values, reach, rng)]


def bucket_sources(values: Floats, reach: int, rng: np.random.Generator) -> Ints:
    """Positions from which `swap_ranks_buckets` takes each value."""
    order = _check_and_rank(values, reach, rng)
    draws = rng.random((2, len(values)))
    return _sources(order, _pair_in_buckets(len(values), reach, draws[0], draws[1]))


def average_tails(values: Floats, top: int, bottom: int) -> Floats:
    """Replace the `top` highest and the `bottom` lowest values, at most half of them each, by the mean of their tail.

    Equal values are treated alike: a tie that a tail would cut through stays outside. So no rank changes, except for
    the new ties. `values` must not contain missing values.
    """
    ordered = np.sort(values)
    averaged = values.copy()
    for count, tail in ((top, values > ordered[-top - 1 :][:1]), (bottom, values < ordered[bottom : bottom + 1])):
        if count and tail.any():
            within = values[tail]
            # Rounding must not raise the mean of equal values above them.
            averaged[tail] = np.clip(within.mean(), within.min(), within.max())
    return averaged


def random_order(values: Floats, rng: np.random.Generator) -> Ints:
    """Order the records by value, equal values in random order."""
    return shuffle_ties(values, stable_order(values), rng.random(len(values)))


def _check_and_rank(values: Floats, reach: int, rng: np.random.Generator) -> Ints:
    if reach < 1 and len(values):
        raise ValueError(f"A reach of {reach} ranks moves nothing: p is too small for {len(values)} values.")
    return random_order(values, rng)


def _sources(order: Ints, partner: Ints) -> Ints:
    sources = np.empty_like(order)
    sources[order] = order[partner]
    return sources


@jit
def shuffle_ties(values: Floats, order: Ints, uniforms: Floats) -> Ints:
    """Shuffle each run of equal values (Fisher and Yates), in place: one sort instead of the two of a random key."""
    n = len(order)
    start = 0
    while start < n:
        end = start + 1
        while end < n and values[order[end]] == values[order[start]]:
            end += 1
        for i in range(end - 1, start, -1):
            j = start + int(uniforms[i] * (i - start + 1))
            order[i], order[j] = order[j], order[i]
        start = end
    return order


@jit
def _pair_in_window(n: int, reach: int, uniforms: Floats) -> Ints:
    """Match ranks within the window; its free ranks are packed in `pool`, so a draw costs one step."""
    partner = np.arange(n)
    free = np.ones(n, dtype=np.bool_)
    pool = np.empty(min(n, reach + 1), dtype=np.int64)
    place = np.empty(n, dtype=np.int64)
    size = 0
    entering = 0
    for i in range(n):
        while entering < n and entering <= i + reach:
            pool[size] = entering
            place[entering] = size
            size += 1
            entering += 1
        if not free[i]:
            continue
        size -= 1
        pool[place[i]] = pool[size]
        place[pool[size]] = place[i]
        if size == 0:
            continue
        drawn = int(uniforms[i] * size)
        k = pool[drawn]
        size -= 1
        pool[drawn] = pool[size]
        place[pool[size]] = drawn
        free[k] = False
        partner[i] = k
        partner[k] = i
    return partner


@jit
def _find(roots: Any, i: int) -> int:
    """Follow the roots from `i` to one that is its own root, halving the path on the way."""
    while roots[i] != i:
        roots[i] = roots[roots[i]]
        i = roots[i]
    return i


@jit
def _pair_at_distance(steps: Ints) -> Ints:
    """Match each free rank with the free rank nearest to its target; roots skip the ranks already matched."""
    n = len(steps)
    partner = np.arange(n)
    above = np.arange(n + 2)  # slot i + 1 is rank i; slots 0 and n + 1 mean "none"
    below = np.arange(n + 2)
    for i in range(n):
        if _find(above, i + 1) != i + 1:
            continue
        above[i + 1] = i + 2
        below[i + 1] = i
        target = min(i + steps[i], n - 1) + 1
        higher = _find(above, target)
        lower = _find(below, target)
        if higher > n and lower <= i:
            continue
        slot = higher
        if higher > n or (lower > i and target - lower < higher - target):
            slot = lower
        above[slot] = slot + 1
        below[slot] = slot - 1
        partner[i] = slot - 1
        partner[slot - 1] = i
    return partner


@jit
def _pair_in_buckets(n: int, size: int, bucket_draws: Floats, member_draws: Floats) -> Ints:
    """Match each free rank with one of a bucket at geometric distance; roots skip empty buckets."""
    buckets = (n + size - 1) // size
    partner = np.arange(n)
    free = np.ones(n, dtype=np.bool_)
    members = np.arange(n)  # bucket b keeps its free ranks packed from b * size on
    place = np.arange(n)
    count = np.full(buckets, size)
    if buckets:
        count[-1] = n - (buckets - 1) * size
    above = np.arange(buckets + 1)
    for i in range(n):
        if not free[i]:
            continue
        own = i // size
        _remove(members, place, count, above, own, size, i)
        last = buckets - 1 - own
        share = 1.0 - 0.5 ** (last + 1)
        step = int(np.floor(-np.log2(1.0 - bucket_draws[i] * share)))
        chosen = _find(above, own + min(max(step, 0), last))
        if chosen == buckets:
            chosen = _find(above, own)
            if chosen == buckets:
                continue
        k = members[chosen * size + int(member_draws[i] * count[chosen])]
        _remove(members, place, count, above, chosen, size, k)
        free[k] = False
        partner[i] = k
        partner[k] = i
    return partner


@jit
def _remove(members: Ints, place: Ints, count: Ints, above: Ints, bucket: int, size: int, rank: int) -> None:
    count[bucket] -= 1
    moved = members[bucket * size + count[bucket]]
    members[place[rank]] = moved
    place[moved] = place[rank]
    if count[bucket] == 0:
        above[bucket] = bucket + 1
