"""Groups of at least k neighbours in a sorted column, and their means.

A partition of a sorted column into consecutive groups is an array of the positions where groups start.

Sources: fixed size, Defays and Nanopoulos (1993); optimal, Hansen and Mukherjee (2003), whose shortest path has a
totally monotone cost, so the best start of the last group never moves left when a record is added.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit, jit_part
from ammg.kernels.orders import stable_order

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def microaggregate_column(values: Floats, k: int, *, optimal: bool = True, weights: Floats | None = None) -> Floats:
    """Replace each value by the (weighted) mean of its group; ties keep the order of their rows."""
    order = stable_order(values)
    ordered, masses = values[order], None if weights is None else weights[order]
    starts = optimal_bounds(ordered, k, masses) if optimal else fixed_size_bounds(len(values), k)
    masked = np.empty(len(values))
    masked[order] = group_means(ordered, starts, masses)
    return masked


def fixed_size_bounds(n: int, k: int) -> Integers:
    """Starts of consecutive groups of k records; the last group takes the remainder, so it has k to 2k-1 records."""
    _refuse_too_few(n, k)
    return np.arange(n // k, dtype=np.int64) * k


def optimal_bounds(sorted_values: Floats, k: int, weights: Floats | None = None) -> Integers:
    """Starts of the consecutive groups of k to 2k-1 records with the least (weighted) sum of squares about their means.

    Takes O(n log k) time. Sums are taken about a member of the group, so large offsets and heavy tails cost no digits.
    """
    values = np.ascontiguousarray(sorted_values, dtype=np.float64)
    _refuse_too_few(len(values), k)
    if len(values) < 2 * k:
        return np.zeros(min(len(values), 1), dtype=np.int64)
    masses = np.ones(1) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    return _walk_back(_best_starts(values, masses, weights is not None, k))


def group_means(sorted_values: Floats, starts: Integers, weights: Floats | None = None) -> Floats:
    """For each record the mean of its group, weighted if weights are given.

    A group of equal values keeps that value exactly. A group whose weights are all zero has its unweighted mean.
    """
    means = np.array(sorted_values, dtype=np.float64)
    # read-only arrays would compile the kernels again
    masses = np.ones(1) if weights is None else np.require(weights, np.float64, ["C", "W"])
    _average(means, masses, weights is not None, starts)
    return means


def _refuse_too_few(n: int, k: int) -> None:
    if k < 1:
        raise ValueError(f"A group needs at least one record; k is {k}.")
    if 0 < n < k:
        raise ValueError(f"{n} records cannot form a group of {k}: choose k of at most {n}.")


@jit
def _best_starts(values: Floats, weights: Floats, weighted: bool, k: int) -> Integers:
    """For each number j of records, the start of the last group of the best partition of the first j.

    The k rows j of a block use only starts i before the block, so each block is a small problem of its own: its row
    minima are found by halving, each row searched between the minima of its neighbours above and below.
    """
    n = len(values)
    start_of_last = np.full(n + 1, -1, np.int64)
    cost = np.full(n + 1, np.inf)  # of the best partition of the first j records, up to a constant
    cost[0] = 0.0
    sums = np.zeros((3 * k + 1, 3))
    for first in range(k, n + 1, k):
        last = min(first + k - 1, n)
        origin = max(first - 2 * k + 1, 0)
        _sum_from_the_middle(values, weights, weighted, origin, first, last, sums)
        shared = cost[first - 1]
        if np.isfinite(shared):  # subtract the cost common to all partitions, so that differences keep their digits
            for i in range(origin, first):
                cost[i] -= shared
        step = 1
        while step <= last - first:
            step *= 2
        while step >= 1:
            for j in range(first + step - 1, last + 1, 2 * step):
                low = max(j - 2 * k + 1, 0)
                high = j - k
                if j - step >= first:
                    low = max(low, start_of_last[j - step])
                if j + step <= last:
                    high = min(high, start_of_last[j + step])
                best, best_cost = low, np.inf
                for i in range(low, high + 1):
                    candidate = cost[i] + _squares(sums[i - origin], sums[j - origin])
                    if candidate < best_cost:
                        best, best_cost = i, candidate
                start_of_last[j] = best
                cost[j] = best_cost
            step //= 2
    return start_of_last


@jit
def _sum_from_the_middle(
    values: Floats, weights: Floats, weighted: bool, origin: int, middle: int, last: int, sums: Floats
) -> None:
    """Weight, weighted value and weighted square of the records between `middle` and each position.

    Every group of the block contains the record before `middle`, whose value serves as zero: a left and a right sum add
    up to the group without cancellation.
    """
    centre = values[middle - 1]
    sums[middle - origin] = 0.0
    for t in range(middle - 1, origin - 1, -1):
        w = weights[t] if weighted else 1.0
        x = values[t] - centre
        _add(sums[t - origin], sums[t + 1 - origin], w, x)
    for t in range(middle, last):
        w = weights[t] if weighted else 1.0
        x = values[t] - centre
        _add(sums[t + 1 - origin], sums[t - origin], w, x)


@jit
def _add(result: Floats, sums: Floats, weight: float, value: float) -> None:
    result[0] = sums[0] + weight
    result[1] = sums[1] + weight * value
    result[2] = sums[2] + weight * value * value


@jit
def _squares(left: Floats, right: Floats) -> float:
    weight: float = left[0] + right[0]
    if weight <= 0.0:
        return 0.0
    total: float = left[1] + right[1]
    square: float = left[2] + right[2]
    return max(square - total * total / weight, 0.0)


@jit
def _walk_back(start_of_last: Integers) -> Integers:
    n = len(start_of_last) - 1
    groups = 0
    j = n
    while j > 0:
        j = start_of_last[j]
        groups += 1
    starts = np.empty(groups, np.int64)
    j = n
    for g in range(groups - 1, -1, -1):
        j = start_of_last[j]
        starts[g] = j
    return starts


@jit
def _average(values: Floats, weights: Floats, weighted: bool, starts: Integers) -> None:
    """Replace the values of each group by their mean."""
    for g in range(len(starts)):
        start, end = starts[g], starts[g + 1] if g + 1 < len(starts) else len(values)
        mean = _mean(values, weights, weighted, start, end)
        for t in range(start, end):
            values[t] = mean


@jit_part
def _mean(values: Floats, weights: Floats, weighted: bool, start: int, end: int) -> float:
    anchor = values[start]  # sums of differences from a member keep equal values exact
    mass, total, plain = 0.0, 0.0, 0.0
    for t in range(start, end):
        w = weights[t] if weighted else 1.0
        mass += w
        total += w * (values[t] - anchor)
        plain += values[t] - anchor
    mean: float = anchor + (total / mass if mass > 0.0 else plain / (end - start))
    return mean
