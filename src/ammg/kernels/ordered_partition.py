"""Records in a line, cut where least is lost: the best groups of k to 2k-1 neighbours, and ways to form the line.

The shortest path of Hansen and Mukherjee (2003) with the sum of squares of all columns as the cost of a group (MHM,
Domingo-Ferrer, Martínez-Ballesté, Mateo-Sanz and Sebé 2006). The line decides the quality; the cuts are optimal for it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def ordered_groups(data: Floats, order: Integers, k: int) -> Integers:
    """Group of each record, numbered along the line: of all cuts into k to 2k-1 records, those of least SSE."""
    n = len(order)
    if not 1 <= k <= n:
        raise ValueError(f"{n} records cannot form a group of {k}: choose k from 1 to {n}.")
    line = np.ascontiguousarray(data, dtype=np.float64)[order]
    if not np.isfinite(line).all():
        raise ValueError("Sums of squares need finite values in all records.")
    group = np.empty(n, dtype=np.int64)
    cost, start_of_last = np.full(n + 1, np.inf), np.full(n + 1, -1, dtype=np.int64)
    _find_starts(line, k, cost, start_of_last, np.empty(line.shape[1]))
    begins = np.zeros(n, dtype=np.int64)
    _mark_begins(start_of_last, begins)
    group[order] = np.cumsum(begins) - 1
    return group


def component_order(data: Floats) -> Integers:
    """Records along the first principal component of the columns as given; equal ones by their rows."""
    centred = data - data.mean(axis=0)
    direction = np.linalg.eigh(centred.T @ centred)[1][:, -1]
    # LAPACK leaves the sign open, and which of two equal partitions is found must not depend on it.
    direction = direction * np.sign(direction[np.argmax(np.abs(direction))])
    return np.argsort(centred @ direction, kind="stable")


def sum_order(data: Floats) -> Integers:
    """Records by the sum of their columns, which should be z-scores; equal ones by their rows."""
    return np.argsort(data.sum(axis=1), kind="stable")


@jit
def _find_starts(line: Floats, k: int, cost: Floats, start_of_last: Integers, mean: Floats) -> None:
    """For each number j of records, the start of the last group of the best partition of the first j; O(n k d)."""
    n, d = line.shape
    cost[0] = 0.0
    most = 2 * k - 1
    for j in range(k, n + 1):
        # The group grows to the left, and its sum of squares with it (Welford 1962): nothing cancels.
        for c in range(d):
            mean[c] = 0.0
        squares = 0.0
        for i in range(j - 1, max(j - most, 0) - 1, -1):
            size = j - i
            added = 0.0
            for c in range(d):
                difference = line[i, c] - mean[c]
                mean[c] += difference / size
                added += difference * (line[i, c] - mean[c])
            squares += added
            if size >= k and cost[i] + squares < cost[j]:
                cost[j] = cost[i] + squares
                start_of_last[j] = i


@jit
def _mark_begins(start_of_last: Integers, begins: Integers) -> None:
    """Write 1 where a group begins."""
    j = len(begins)
    while j > 0:
        j = start_of_last[j]
        begins[j] = 1
