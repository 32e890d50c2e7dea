"""Optimal cuts of records on a line into groups of k to 2k-1 neighbours, and ways to order the records.

The shortest path of Hansen and Mukherjee (2003) with the sum of squares of all columns as the cost of a group (MHM,
Domingo-Ferrer, Martínez-Ballesté, Mateo-Sanz and Sebé 2006). The line decides the quality; the cuts are optimal for it.
Missing values (NaN) are left out of means, squares and projections.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks, rows_of
from ammg.kernels.jit import jit
from ammg.kernels.orders import stable_order
from ammg.kernels.pairwise import has_missing

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_ROWS = 1 << 16  # gathered by a thread at a time
_ENDS = 1 << 15  # groups of each size that a thread adds up at a time
_CELLS = 1 << 22  # sums of squares held at a time


def ordered_groups(data: Floats, order: Integers, k: int) -> Integers:
    """Group of each record, numbered along the line: the cuts into k to 2k-1 records with the least SSE."""
    n = len(order)
    if not 1 <= k <= n:
        raise ValueError(f"{n} records cannot form a group of {k}: choose k from 1 to {n}.")
    line = rows_of(np.ascontiguousarray(data, dtype=np.float64), order)
    if np.isinf(line).any():
        raise ValueError("Sums of squares need finite values in all records.")
    group = np.empty(n, dtype=np.int64)
    group[order] = np.cumsum(_begins(line, k)) - 1
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
    is_complete = not has_missing(data)
    seen = np.ones((1, data.shape[1]), dtype=bool) if is_complete else ~np.isnan(data)
    observed = len(data) if is_complete else seen.sum(axis=0)
    mean = (data if is_complete else np.where(seen, data, 0.0)).sum(axis=0) / np.maximum(observed, 1)
    centred = np.empty_like(data)

    def centre(start: int, stop: int) -> None:
        rows = slice(start, stop)
        np.subtract(data[rows], mean, out=centred[rows])
        if not is_complete:
            centred[rows][~seen[rows]] = 0.0

    over_blocks(centre, len(data), block=_ROWS, brief=True)
    products = centred.T @ centred
    if not is_complete:
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


def _begins(line: Floats, k: int) -> Integers:
    """1 where a group of the best partition begins, otherwise 0; O(n k d)."""
    n, d = line.shape
    cost, start_of_last, begins = np.full(n + 1, np.inf), np.zeros(n + 1, np.int64), np.zeros(n, np.int64)
    cost[0] = 0.0
    at_a_time = max(_CELLS // k, 1)
    for first in range(0, n, at_a_time):
        squares = np.empty((min(at_a_time, n - first), k))

        def add_up(start: int, stop: int, first: int = first, squares: Floats = squares) -> None:
            _add_up_groups(line, first + start + 1, squares[start:stop], np.empty((2, d)))

        over_blocks(add_up, len(squares), block=_ENDS, brief=True)
        _find_begins(squares, first + 1, cost, start_of_last, begins)
    if not np.isfinite(cost[n]):
        raise ValueError("The sums of squares are too large for a computer: scale the values down.")
    return begins


@jit
def _add_up_groups(line: Floats, first: int, squares: Floats, running: Floats) -> None:
    """The sums of squares of the groups of k to 2k-1 records that end with the records `first`, `first` + 1, ...

    Records count from 1; `running` has room for the mean and the number of values of each column.
    """
    ends, k = squares.shape
    for end in range(ends):
        # The group grows to the left, and its sum of squares with it (Welford 1962), without cancellation.
        for c in range(line.shape[1]):
            running[0, c], running[1, c] = 0.0, 0.0
        total = 0.0
        for size in range(1, min(2 * k - 1, first + end) + 1):
            added = 0.0
            for c in range(line.shape[1]):
                value = line[first + end - size, c]
                if value == value:
                    running[1, c] += 1.0
                    difference = value - running[0, c]
                    running[0, c] += difference / running[1, c]
                    added += difference * (value - running[0, c])
            total += added
            if size >= k:
                squares[end, size - k] = total


@jit
def _find_begins(squares: Floats, first: int, cost: Floats, start_of_last: Integers, begins: Integers) -> None:
    """The best last groups that end with the records `first`, `first` + 1, ..., from their sums of squares.

    With the last record, the groups of the whole line are known: they are marked where they begin.
    """
    ends, k = squares.shape
    for end in range(ends):
        j = first + end
        for size in range(k, min(2 * k - 1, j) + 1):
            total = cost[j - size] + squares[end, size - k]
            if total < cost[j]:
                cost[j] = total
                start_of_last[j] = j - size
    j = len(begins)
    while first + ends > len(begins) and j > 0:
        j = start_of_last[j]
        begins[j] = 1
