"""The auction algorithm for sparse assignment: masked records bid for originals, unassigned originals seek bidders.

Bertsekas (1988) for the bidding and the scaling of the bid increment, Bertsekas and Castañón (1992) for the reverse
auction that returns the price of every unassigned original to zero, as optimality with unequal sides requires. It ends
with a matching and prices that prove it: the total is within rows × increment of the optimum on these edges.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit
from ammg.kernels.orders import stable_order

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Edges(NamedTuple):
    """A weighted bipartite graph by rows; columns are stored as positions in the arrays by rows."""

    start: Ints  # rows + 1
    column: Ints
    weight: Floats
    column_start: Ints  # columns + 1
    row: Ints
    edge: Ints


class Bidding(NamedTuple):
    """The state of an auction, from which a later one may start."""

    column_of: Ints  # for each row, -1 for none
    row_of: Ints  # for each column, -1 for none
    price: Floats
    profit: Floats


def edges_of(row: Ints, column: Ints, weight: Floats, rows: int, columns: int) -> Edges:
    """Arrange edges sorted by row for the auction."""
    start = np.searchsorted(row, np.arange(rows + 1)).astype(np.int64)
    by_column = stable_order(column)
    column_start = np.searchsorted(column[by_column], np.arange(columns + 1)).astype(np.int64)
    return Edges(start, column, weight, column_start, row[by_column], by_column.astype(np.int64))


def open_bidding(rows: int, columns: int) -> Bidding:
    """The initial state: no assignments, all prices zero."""
    return Bidding(np.full(rows, -1), np.full(columns, -1), np.zeros(columns), np.zeros(rows))


@jit
def auction(edges: Edges, bidding: Bidding, outside: float, increment: float, most_bids: int) -> bool:
    """Assign every row a column or nothing (worth `outside`), with bids that exceed the second best by an increment.
    Changes `bidding`; returns True when it is done, and False when it has made `most_bids` and must be called again.
    `most_bids` must exceed the numbers of rows and columns.
        must be larger than those of rows and columns.
    """
    done = _forward(edges, bidding, outside, increment, most_bids)
    return done and _reverse(edges, bidding, increment, most_bids)


@jit
def _forward(edges: Edges, bidding: Bidding, outside: float, increment: float, most_bids: int) -> bool:
    column_of, row_of, price, profit = bidding
    rows = len(column_of)
    queue = np.empty(rows, dtype=np.int64)
    size = 0
    for i in range(rows):
        best, _, _, _ = _offers(edges, price, outside, i)
        j = column_of[i]
        value = outside
        if j >= 0:
            for e in range(edges.start[i], edges.start[i + 1]):
                if edges.column[e] == j:
                    value = edges.weight[e] - price[j]
        if j >= 0 and value < best - increment:
            row_of[j] = -1
            column_of[i] = j = -1
        if j < 0:
            queue[size] = i
            size += 1
        profit[i] = value
    head, bids = 0, 0
    count = size
    while count > 0 and bids < most_bids:
        i = queue[head]
        head = head + 1 if head + 1 < rows else 0
        count -= 1
        best, second, j, _ = _offers(edges, price, outside, i)
        bids += 1
        if j < 0:
            profit[i] = outside
            continue
        price[j] += best - second + increment
        profit[i] = second - increment
        loser = row_of[j]
        row_of[j], column_of[i] = i, j
        if loser >= 0:
            column_of[loser] = -1
            place = head + count
            queue[place if place < rows else place - rows] = loser
            count += 1
    return count == 0


@jit
def _offers(edges: Edges, price: Floats, outside: float, i: int) -> tuple[float, float, int, int]:
    """The best and second best value for a row, and the column of the best (-1: none)."""
    best, second, column, edge = outside, -np.inf, -1, -1
    for e in range(edges.start[i], edges.start[i + 1]):
        value = edges.weight[e] - price[edges.column[e]]
        if value > best:
            best, second, column, edge = value, best, edges.column[e], e
        elif value > second:
            second = value
    return best, second, column, edge


@jit
def _reverse(edges: Edges, bidding: Bidding, increment: float, most_bids: int) -> bool:
    column_of, row_of, price, profit = bidding
    columns = len(row_of)
    queue = np.empty(columns, dtype=np.int64)
    count = 0
    for j in range(columns):
        if row_of[j] < 0 and price[j] > 0.0:
            queue[count] = j
            count += 1
    head, bids = 0, 0
    while count > 0 and bids < most_bids:
        j = queue[head]
        head = head + 1 if head + 1 < columns else 0
        count -= 1
        bids += 1
        best, second, row, weight = -np.inf, -np.inf, -1, 0.0
        for k in range(edges.column_start[j], edges.column_start[j + 1]):
            value = edges.weight[edges.edge[k]] - profit[edges.row[k]]
            if value > best:
                best, second, row, weight = value, best, edges.row[k], edges.weight[edges.edge[k]]
            elif value > second:
                second = value
        if best <= increment:
            price[j] = 0.0
            continue
        price[j] = max(best - min(best, best - second + increment), 0.0)
        profit[row] = weight - price[j]
        left = column_of[row]
        column_of[row], row_of[j] = j, row
        if left >= 0:
            row_of[left] = -1
            if price[left] > 0.0:
                place = head + count
                queue[place if place < columns else place - columns] = left
                count += 1
    return count == 0
