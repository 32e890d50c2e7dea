"""Merge groups of records with others at the least loss."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit, jit_part
from ammg.kernels.recoding.key_spans import KeySpans, common_level

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_WINDOW = 2_000  # groups on either side, in the order of their first rows, that are compared


class _Boxes(NamedTuple):
    """What groups have in common: intervals of numbers, classes of trees, and the number of records with a value."""

    low: Floats
    high: Floats
    level: Ints
    member: Ints
    """A row with a value for each tree, -1 if there is none."""
    known: Ints
    """Groups × (numbers, then trees)."""


def merge_groups(keys: KeySpans, group: Ints, counts: Ints, stratum: Ints, failing: Bools) -> Ints:
    """Groups after each failing one has been merged with the group of its stratum that causes the least loss.

    Args:
        keys: Rows in units of loss.
        group: Group of each row, numbered from 0.
        counts: Records per row.
        stratum: Stratum of each group; groups of different strata are never merged.
        failing: Which groups must be merged with another.

        Returns:
            Group of each row, renumbered in the order of their first rows; unchanged if a stratum has one group.
    """
    total = len(stratum)
    order = np.argsort(group, kind="stable").astype(np.int64)
    starts = np.searchsorted(group[order], np.arange(total + 1)).astype(np.int64)
    boxes = _boxes(keys, order, starts, counts.astype(np.int64))
    by_first = np.lexsort((order[starts[:-1]], stratum)).astype(np.int64)
    partner = _partners(keys, boxes, by_first, stratum.astype(np.int64), failing)
    parent = np.arange(total)
    for one in np.flatnonzero(partner >= 0).tolist():
        parent[_root(parent, one)] = _root(parent, int(partner[one]))
    root = np.array([_root(parent, one) for one in range(total)])
    _, first, place = np.unique(root[group], return_index=True, return_inverse=True)
    rank = np.empty(first.size, np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(first.size)
    return rank[place.reshape(-1)]


def _root(parent: NDArray[np.intp], one: int) -> int:
    while parent[one] != one:
        parent[one] = parent[parent[one]]
        one = int(parent[one])
    return one


@jit
def _boxes(keys: KeySpans, order: Ints, starts: Ints, counts: Ints) -> _Boxes:
    total, numbers, trees = len(starts) - 1, keys.numbers.shape[1], keys.classes.shape[1]
    low, high = np.full((total, numbers), np.inf), np.full((total, numbers), -np.inf)
    level, member = np.zeros((total, trees), np.int64), np.full((total, trees), -1, np.int64)
    known = np.zeros((total, numbers + trees), np.int64)
    for g in range(total):
        for s in range(starts[g], starts[g + 1]):
            row = order[s]
            for j in range(numbers):
                value = keys.numbers[row, j]
                if value == value:
                    low[g, j], high[g, j] = min(low[g, j], value), max(high[g, j], value)
                    known[g, j] += counts[row]
            for t in range(trees):
                if keys.classes[row, t, 0] >= 0:
                    member[g, t] = row
        for t in range(trees):
            level[g, t], known[g, numbers + t] = common_level(keys, t, order, starts[g], starts[g + 1], counts)
    return _Boxes(low, high, level, member, known)


@jit
def _partners(keys: KeySpans, boxes: _Boxes, by_first: Ints, stratum: Ints, failing: Bools) -> Ints:
    """The group that each failing group joins; -1 for other groups, and if there is none."""
    partner = np.full(len(by_first), -1, np.int64)
    for place in range(len(by_first)):
        one = by_first[place]
        if not failing[one]:
            continue
        least = np.inf
        for near in range(max(0, place - _WINDOW), min(len(by_first), place + _WINDOW + 1)):
            other = by_first[near]
            if other == one or stratum[other] != stratum[one]:
                continue
            more = _lost(keys, boxes, one, other) - _lost(keys, boxes, one, one) - _lost(keys, boxes, other, other)
            if more < least:
                least, partner[one] = more, other
    return partner


@jit_part
def _lost(keys: KeySpans, boxes: _Boxes, one: int, other: int) -> float:
    """The loss of two groups as one; with itself, that of the group."""
    numbers, total = keys.numbers.shape[1], 0.0
    for j in range(numbers):
        known = boxes.known[one, j] + (boxes.known[other, j] if other != one else 0)
        if known > 0:
            total += (
                max(boxes.high[one, j], boxes.high[other, j]) - min(boxes.low[one, j], boxes.low[other, j])
            ) * known
    for t in range(keys.classes.shape[1]):
        known = boxes.known[one, numbers + t] + (boxes.known[other, numbers + t] if other != one else 0)
        a, b = boxes.member[one, t], boxes.member[other, t]
        if known == 0:
            continue
        if a < 0:
            a = b
        if b < 0:
            b = a
        level = max(boxes.level[one, t], boxes.level[other, t])
        while keys.classes[a, t, level] != keys.classes[b, t, level]:
            level += 1
        if level > 0:
            total += keys.losses[keys.starts[t, level] + keys.classes[a, t, level]] * known
    return total
