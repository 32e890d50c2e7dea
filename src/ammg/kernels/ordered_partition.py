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
    if not 1 <= k <= len(order):
        raise ValueError(f"{len(order)} records cannot form a group of {k}: choose k from 1 to {len(order)}.")
    line = np.ascontiguousarray(data, dtype=np.float64)[order]
    if not np.isfinite(line).all():
        raise ValueError("Sums of squares need finite values in all records.")
    group = np.empty(len(order), dtype=np.int64)
    group[order] = _cut(_best_starts(line, k))
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
def _best_starts(line: Floats, k: int) -> Integers:
    """For each number j of records, the start of the last group of the best partition of the first j; O(n k d)."""
    n, d = line.shape
    start_of_last = np.full(n + 1, -1, np.int64)
    cost = np.full(n + 1, np.inf)
    cost[0] = 0.0
    mean = np.empty(d)
    most = 2 * k - 1
    for j in range(k, n + 1):
        # The group grows to the left, and its sum of squares with it (Welford 1962): nothing cancels.
        mean[:] = 0.0
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
    return start_of_last


@jit
def _cut(start_of_last: Integers) -> Integers:
    """Group of each place in the line."""
    n = len(start_of_last) - 1
    group = np.zeros(n, np.int64)
    j = n
    while j > 0:
        j = start_of_last[j]
        group[j] += 1  # a group begins here
    group[0] = 0
    return np.cumsum(group)
