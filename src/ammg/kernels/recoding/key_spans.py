"""Loss of records released with what they have in common: an interval of numbers, a class of a hierarchy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit, jit_part

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Ints = NDArray[np.int64]


class Tree(NamedTuple):
    """The classes of one key: of each row level by level, and the loss of a value in each class of each level."""

    classes: Sequence[Codes]
    """One array per level, -1 for missing; at the last level all rows are in one class."""
    losses: Sequence[Floats]


class KeySpans(NamedTuple):
    """Rows in units of loss: a value that becomes an interval as wide as the column's range loses the key's weight."""

    numbers: Floats
    """Rows × numbers, NaN for missing."""
    classes: Codes
    """Rows × trees × levels, -1 for missing; short trees repeat their last level."""
    starts: Ints
    """Trees × levels: the start of the losses of the classes of each level."""
    losses: Floats


def key_spans(numbers: Floats, trees: Sequence[Tree]) -> KeySpans:
    """Numbers in units of loss, and trees, in the form that kernels need."""
    deepest = max((len(tree.classes) for tree in trees), default=1)
    classes = np.zeros((len(numbers), len(trees), deepest), np.int32)
    starts = np.zeros((len(trees), deepest), np.int64)
    losses: list[Floats] = []
    place = 0
    for number, tree in enumerate(trees):
        for level in range(deepest):
            own = min(level, len(tree.classes) - 1)
            classes[:, number, level] = tree.classes[own]
            starts[number, level] = place
            losses.append(tree.losses[own])
            place += len(tree.losses[own])
    table = np.concatenate(losses) if losses else np.zeros(1)
    return KeySpans(np.ascontiguousarray(numbers, np.float64), classes, starts, table)


def taken(keys: KeySpans, rows: Ints) -> KeySpans:
    """The same for some rows, which may repeat."""
    return keys._replace(
        numbers=np.ascontiguousarray(keys.numbers[rows]), classes=np.ascontiguousarray(keys.classes[rows])
    )


def lost_in(keys: KeySpans, group: Ints, counts: Ints) -> Floats:
    """The loss of each group; row i stands for `counts[i]` records."""
    order = np.argsort(group, kind="stable").astype(np.int64)
    starts = np.append(np.searchsorted(group[order], np.arange(int(group.max(initial=-1)) + 1)), len(order))
    found = np.zeros(len(starts) - 1)
    _add_losses(keys, order, starts.astype(np.int64), counts.astype(np.int64), found)
    return found


@jit
def _add_losses(keys: KeySpans, order: Ints, starts: Ints, counts: Ints, found: Floats) -> None:
    for g in range(len(found)):
        found[g] = lost_by(keys, order, starts[g], starts[g + 1], counts)


@jit_part
def lost_by(keys: KeySpans, order: Ints, start: int | np.int64, stop: int, counts: Ints) -> float:
    """The loss of the rows `order[start:stop]` as one group; missing values lose nothing."""
    total: float = 0.0
    for j in range(keys.numbers.shape[1]):
        low, high, known = np.inf, -np.inf, 0
        for s in range(start, stop):
            value = keys.numbers[order[s], j]
            if value == value:
                low, high = min(low, value), max(high, value)
                known += counts[order[s]]
        if known > 0:
            total += (high - low) * known
    for t in range(keys.classes.shape[1]):
        level, known = common_level(keys, t, order, start, stop, counts)
        if known > 0 and level > 0:
            for s in range(start, stop):
                code = keys.classes[order[s], t, level]
                if code >= 0:
                    total += keys.losses[keys.starts[t, level] + code] * known
                    break
    return total


@jit_part
def common_level(
    keys: KeySpans, t: int, order: Ints, start: int | np.int64, stop: int, counts: Ints
) -> tuple[int, int]:
    """The lowest level at which all known values of a tree are in one class, and the number of records with a value."""
    level, known, first = 0, 0, -1
    for s in range(start, stop):
        row = order[s]
        if keys.classes[row, t, 0] < 0:
            continue
        known += counts[row]
        if first < 0:
            first = row
        while keys.classes[row, t, level] != keys.classes[first, t, level]:
            level += 1
    return level, known
