"""The auction algorithm for sparse assignment: masked records bid for originals, unassigned originals seek bidders.

Bertsekas (1988) for the bidding and the scaling of the bid increment, Bertsekas and Castañón (1992) for the reverse
auction that returns the price of every unassigned original to zero, as optimality with unequal sides requires. It ends
with a matching and prices that prove it: the total is within rows × increment of the optimum on these edges.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.jit import jit, jit_part
from ammg.kernels.matching.edges import Edges, Side
from ammg.kernels.processor import LINE, prefetch

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Places = NDArray[np.uint32]

_AHEAD = 4  # how many turns before its own the edges of a bidder are fetched
_BLOCK = 1024  # rows at a time
_WEIGHTS, _PLACES = LINE // 8, LINE // 4  # per cache line


class Bidding(NamedTuple):
    """The state of an auction, from which a later one may start."""

    column_of: Ints  # for each row, -1 for none
    row_of: Ints  # for each column, -1 for none
    price: Floats
    profit: Floats


def open_bidding(rows: int, columns: int) -> Bidding:
    """The initial state: no assignments, all prices zero."""
    return Bidding(np.full(rows, -1), np.full(columns, -1), np.zeros(columns), np.zeros(rows))


def auction(edges: Edges, bidding: Bidding, outside: float, increment: float, most_bids: int) -> bool:
    """Assign every row a column or nothing (worth `outside`), with bids that exceed the second best by an increment.

    Changes `bidding`; returns True when it is done, and False when it has made `most_bids` and must be called again.
    `most_bids` must exceed the numbers of rows and columns.
    """
    column_of, row_of, price, _ = bidding
    by_row, by_column = edges
    longest = max(int(np.diff(side.start).max(initial=0)) for side in edges)

    def review(begin: int, end: int) -> None:
        _review(by_row, bidding, np.empty(longest), outside, increment, begin, end)

    over_blocks(review, len(column_of), block=_BLOCK, brief=True)
    queue, count = _queue(np.flatnonzero(column_of < 0), len(column_of))
    if not _bid(by_row, bidding, np.empty(longest), outside, increment, most_bids, queue, count):
        return False
    queue, count = _queue(np.flatnonzero((row_of < 0) & (price > 0.0)), len(row_of))
    return _bid_back(by_column, bidding, np.empty(longest), increment, most_bids, queue, count)


def _queue(waiting: Ints, room: int) -> tuple[Ints, int]:
    """Who bids next, with room for all, and how many wait."""
    queue = np.empty(room, dtype=np.int64)
    queue[: len(waiting)] = waiting
    return queue, len(waiting)


@jit
def _review(
    edges: Side, bidding: Bidding, values: Floats, outside: float, increment: float, begin: int, end: int
) -> None:
    """Free the rows from `begin` to `end` for which another column would be better by more than an increment.

    It also writes the profit of each row. Threads may review several spans at once: a column belongs to one row only.
    """
    start, column, weight = edges
    column_of, row_of, price, profit = bidding
    for i in range(begin, end):
        first, size = start[i], start[i + 1] - start[i]
        best, _ = _two_best(weight, price, column, first, size, outside, values)
        j, value = column_of[i], outside
        if j >= 0:
            for k in range(size):
                if column[first + k] == j:
                    value = values[k]
            if value < best - increment:
                row_of[j] = -1
                column_of[i] = -1
        profit[i] = value


@jit
def _bid(
    edges: Side,
    bidding: Bidding,
    values: Floats,
    outside: float,
    increment: float,
    most_bids: int,
    queue: Ints,
    count: int,
) -> bool:
    """Let the rows in the queue bid, and those that lose their columns by that."""
    start, column, weight = edges
    column_of, row_of, price, profit = bidding
    rows, head, bids = len(queue), 0, 0
    while count > 0 and bids < most_bids:
        i = queue[head]
        if count > _AHEAD:
            _fetch(start, weight, column, _later(queue, head + _AHEAD))
        head = head + 1 if head + 1 < rows else 0
        count -= 1
        bids += 1
        first, size = start[i], start[i + 1] - start[i]
        best, second = _two_best(weight, price, column, first, size, outside, values)
        if not best > outside:
            profit[i] = outside
            continue
        j = np.int64(column[first + _place_of(best, values)])
        price[j] += best - second + increment
        profit[i] = second - increment
        loser = row_of[j]
        row_of[j], column_of[i] = i, j
        if loser >= 0:
            column_of[loser] = -1
            queue[head + count if head + count < rows else head + count - rows] = loser
            count += 1
    return count == 0


@jit
def _bid_back(
    edges: Side, bidding: Bidding, values: Floats, increment: float, most_bids: int, queue: Ints, count: int
) -> bool:
    """Let the unassigned columns in the queue, and those that lose their rows, lower their prices to find rows."""
    start, row, weight = edges
    column_of, row_of, price, profit = bidding
    columns, head, bids = len(queue), 0, 0
    while count > 0 and bids < most_bids:
        j = queue[head]
        if count > _AHEAD:
            _fetch(start, weight, row, _later(queue, head + _AHEAD))
        head = head + 1 if head + 1 < columns else 0
        count -= 1
        bids += 1
        first, size = start[j], start[j + 1] - start[j]
        best, second = _two_best(weight, profit, row, first, size, -np.inf, values)
        if not best > increment:
            price[j] = 0.0
            continue
        k = first + _place_of(best, values)
        i = np.int64(row[k])
        price[j] = max(best - min(best, best - second + increment), 0.0)
        profit[i] = weight[k] - price[j]
        left = column_of[i]
        column_of[i], row_of[j] = j, i
        if left >= 0:
            row_of[left] = -1
            if price[left] > 0.0:
                queue[head + count if head + count < columns else head + count - columns] = left
                count += 1
    return count == 0


@jit_part
def _two_best(
    weight: Floats, cost: Floats, other: Places, first: int, size: int, least: float, values: Floats
) -> tuple[float, float]:
    """The best and second best of `least` and the values of some edges: weights minus the costs of the other sides.

    It has no branches: which value is best cannot be predicted.
    """
    best, second = least, -np.inf
    for k in range(size):
        value = weight[first + k] - cost[other[first + k]]
        values[k] = value
        lower = value if value < best else best
        second = lower if lower > second else second
        best = value if value > best else best
    return best, second


@jit_part
def _place_of(best: float, values: Floats) -> int:
    """The first place of a value that is among the values."""
    k = 0
    while values[k] != best:
        k += 1
    return k


@jit_part
def _later(queue: Ints, place: int) -> int:
    return int(queue[place if place < len(queue) else place - len(queue)])


@jit_part
def _fetch(start: Ints, weight: Floats, other: Places, i: int) -> None:
    """Fetch the edges of a row or column into the cache."""
    first, last = start[i], start[i + 1]
    for k in range(first, last, _WEIGHTS):
        prefetch(weight, k)
    for k in range(first, last, _PLACES):
        prefetch(other, k)
    prefetch(weight, last - 1)
    prefetch(other, last - 1)
