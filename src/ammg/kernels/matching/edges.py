"""Pairs of records that may be linked: a bipartite graph whose edges can be read by row and by column."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.jit import jit
from ammg.kernels.orders import stable_order
from ammg.kernels.threads import processors

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Places = NDArray[np.uint32]

_BLOCK = 4096  # rows at a time
_READERS = 4  # threads, at most, that read all edges and each write those of some columns


class Side(NamedTuple):
    """The edges of each row, sorted by column; or those of each column, sorted by row."""

    start: Ints  # where the edges of each row begin, and at last where they end
    other: Places
    weight: Floats


class Edges(NamedTuple):
    """The same edges, read both ways."""

    by_row: Side
    by_column: Side


def no_edges(rows: int, columns: int) -> Edges:
    """A graph without edges."""
    return _both_ways(Side(np.zeros(rows + 1, np.int64), np.empty(0, np.uint32), np.empty(0)), columns)


def edges_of(row: Ints, column: Ints, weight: Floats, rows: int, columns: int) -> Edges:
    """A graph of given edges; of equal ones, the first counts."""
    keys = row * np.int64(columns) + column
    order = stable_order(keys)
    kept = order[np.flatnonzero(np.diff(keys[order], prepend=-1))]
    start = _starts(np.bincount(row[kept], minlength=rows))
    return _both_ways(Side(start, column[kept].astype(np.uint32), weight[kept].astype(np.float64)), columns)


def with_candidates(edges: Edges, order: Ints, candidates: Ints, weights: Floats, place_of: Ints) -> Edges:
    """The same edges and further ones: row k gets the candidates of record `order[k]`, c in column `place_of[c]`.

    An edge that the graph already has keeps its weight.
    """
    rows, most = len(order), candidates.shape[1]
    if not rows:
        return edges
    counts, old = np.empty(rows, dtype=np.int64), edges.by_row
    parts: dict[int, tuple[Places, Floats]] = {}

    def work(begin: int, end: int) -> None:
        room = int(old.start[end] - old.start[begin]) + (end - begin) * most
        mine = order[begin:end], candidates, weights, place_of, np.empty(most, dtype=np.int64), np.empty(most)
        column, weight = np.empty(room, dtype=np.uint32), np.empty(room)
        used = _merge(old, begin, *mine, column, weight, counts[begin:end])
        parts[begin] = column[:used], weight[:used]

    over_blocks(work, rows, block=_BLOCK, brief=True)
    others, values = zip(*(parts[begin] for begin in sorted(parts)), strict=True)
    return _both_ways(Side(_starts(counts), np.concatenate(others), np.concatenate(values)), len(place_of))


def link_weights(edges: Edges, column_of: Ints, outside: float) -> Floats:
    """The weight of the edge between each row and its column; `outside` for rows without one (-1)."""
    values = np.empty(len(column_of))
    over_blocks(
        lambda begin, end: _find(edges.by_row, begin, end, column_of, outside, values),
        len(values),
        block=_BLOCK,
        brief=True,
    )
    return values


def _both_ways(by_row: Side, columns: int) -> Edges:
    start, size = _starts(np.bincount(by_row.other, minlength=columns)), len(by_row.other)
    by_column = Side(start, np.empty(size, dtype=np.uint32), np.empty(size))
    free = start[:-1].copy()
    over_blocks(
        lambda begin, end: _turn(by_row, begin, end, free, by_column),
        columns,
        block=max(-(-columns // min(processors(), _READERS)), 1),
        brief=True,
    )
    return Edges(by_row, by_column)


def _starts(counts: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(counts)])


@jit
def _merge(
    old: Side,
    begin: int,
    order: Ints,
    candidates: Ints,
    weights: Floats,
    place_of: Ints,
    places: Ints,
    values: Floats,
    column: Places,
    weight: Floats,
    counts: Ints,
) -> int:
    """Write the edges of rows from `begin` on, how many each row has, and return how many there are in all.

    `order` has the records of these rows; `places` and `values` are working memory.
    """
    used = 0
    for i in range(len(counts)):
        record = order[i]
        for k in range(len(places)):
            place, value, at = place_of[candidates[record, k]], weights[record, k], k
            while at > 0 and places[at - 1] > place:
                places[at], values[at] = places[at - 1], values[at - 1]
                at -= 1
            places[at], values[at] = place, value
        first, k, edge, last = used, 0, old.start[begin + i], old.start[begin + i + 1]
        while edge < last or k < len(places):
            if k == len(places) or (edge < last and np.int64(old.other[edge]) <= places[k]):
                place, value = np.int64(old.other[edge]), old.weight[edge]
                edge += 1
            else:
                place, value = places[k], values[k]
                k += 1
            if used == first or np.int64(column[used - 1]) != place:
                column[used], weight[used] = place, value
                used += 1
        counts[i] = used - first
    return used


@jit
def _turn(by_row: Side, begin: int, end: int, free: Ints, by_column: Side) -> None:
    """Write the edges of the columns from `begin` to `end`, each to the first place that is free for its column.

    It reads all edges; other threads write those of other columns.
    """
    start, column, weight = by_row
    for i in range(len(start) - 1):
        for k in range(start[i], start[i + 1]):
            j = np.int64(column[k])
            if begin <= j < end:
                by_column.other[free[j]], by_column.weight[free[j]] = i, weight[k]
                free[j] += 1


@jit
def _find(by_row: Side, begin: int, end: int, column_of: Ints, outside: float, values: Floats) -> None:
    start, column, weight = by_row
    for i in range(begin, end):
        values[i] = outside
        for k in range(start[i], start[i + 1]):
            if np.int64(column[k]) == column_of[i]:
                values[i] = weight[k]
