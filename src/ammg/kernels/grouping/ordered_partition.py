"""Optimal cuts of records on a line into groups of k to 2k-1 neighbours, and ways to order the records.

The shortest path of Hansen and Mukherjee (2003) with the sum of squares of all columns as the cost of a group (MHM,
Domingo-Ferrer, Martínez-Ballesté, Mateo-Sanz and Sebé 2006). The line decides the quality; the cuts are optimal for it.
Missing values (NaN) are left out of means, squares and projections.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit
from ammg.kernels.orders import stable_order

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def ordered_groups(data: Floats, order: Integers, k: int) -> Integers:
    """Group of each record, numbered along the line: the cuts into k to 2k-1 records with the least SSE."""
    n = len(order)
    if not 1 <= k <= n:
        raise ValueError(f"{n} records cannot form a group of {k}: choose k from 1 to {n}.")
    line = np.ascontiguousarray(data, dtype=np.float64)[order]
    if np.isinf(line).any():
        raise ValueError("Sums of squares need finite values in all records.")
    group = np.empty(n, dtype=np.int64)
    cost, start_of_last = np.full(n + 1, np.inf), np.full(n + 1, -1, dtype=np.int64)
    _find_starts(line, k, cost, start_of_last, np.empty((2, line.shape[1])))
    begins = np.zeros(n, dtype=np.int64)
    _mark_begins(start_of_last, begins)
    group[order] = np.cumsum(begins) - 1
    return group


def even_groups(order: Integers, k: int) -> Integers:
    """Group of each record: k in a row along the line, with the remainder in the last group."""
    group = np.empty(len(order), dtype=np.int64)
    group[order] = np.minimum(np.arange(len(order)) // k, len(order) // k - 1)
    return group


def component_order(data: Floats) -> Integers:
    """Records along the first principal component of the columns as given; ties by row.

    With missing values, a covariance uses the records that have both columns, and a record's position is that of its
    observed coordinates, times columns over columns observed.
    """
    seen = ~np.isnan(data)
    centred = np.where(seen, data, 0.0)
    centred = np.where(seen, data - centred.sum(axis=0) / np.maximum(seen.sum(axis=0), 1), 0.0)
    products = centred.T @ centred
    if not seen.all():
        pairs = seen.T.astype(float) @ seen
        products = np.divide(products, pairs, out=np.zeros_like(products), where=pairs > 0)
    direction = np.linalg.eigh(products)[1][:, -1]
    # LAPACK leaves the sign open, and the choice between equal partitions must not depend on it.
    direction = direction * np.sign(direction[np.argmax(np.abs(direction))])
    return stable_order(_scaled_up(centred @ direction, seen))


def sum_order(data: Floats) -> Integers:
    """Records by the sum of their columns, which should be z-scores; ties by row.

    With missing values, the sum of the observed columns, times columns over columns observed.
    """
    seen = ~np.isnan(data)
    return stable_order(_scaled_up(np.where(seen, data, 0.0).sum(axis=1), seen))


def _scaled_up(sums: Floats, seen: NDArray[np.bool_]) -> Floats:
    """Scale sums of observed values up to all values; 0 if none is observed."""
    columns, observed = seen.shape[1], np.count_nonzero(seen, axis=1)
    return np.where(observed == columns, sums, sums * columns / np.maximum(observed, 1))


@jit
def _find_starts(line: Floats, k: int, cost: Floats, start_of_last: Integers, running: Floats) -> None:
    """For each number j of records, the start of the last group of the best partition of the first j; O(n k d).

    `running` has room for the mean and the number of values of each column.
    """
    n, d = line.shape
    cost[0] = 0.0
    most = 2 * k - 1
    for j in range(k, n + 1):
        # The group grows to the left, and its sum of squares with it (Welford 1962), without cancellation.
        for c in range(d):
            running[0, c], running[1, c] = 0.0, 0.0
        squares = 0.0
        for i in range(j - 1, max(j - most, 0) - 1, -1):
            added = 0.0
            for c in range(d):
                value = line[i, c]
                if value == value:
                    running[1, c] += 1.0
                    difference = value - running[0, c]
                    running[0, c] += difference / running[1, c]
                    added += difference * (value - running[0, c])
            squares += added
            if j - i >= k and cost[i] + squares < cost[j]:
                cost[j] = cost[i] + squares
                start_of_last[j] = i


@jit
def _mark_begins(start_of_last: Integers, begins: Integers) -> None:
    """Write 1 where a group begins."""
    j = len(begins)
    while j > 0:
        j = start_of_last[j]
        begins[j] = 1
