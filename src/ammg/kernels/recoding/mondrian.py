"""Mondrian: repeatedly split the records at the median of the widest key while both parts have k records.

LeFevre, DeWitt and Ramakrishnan (2006), the strict form: equal records stay together. A key with a hierarchy is split
into the classes one level below the lowest common one of its values. The splits depend only on counts of
combinations.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import ZERO, jit, jit_part
from ammg.kernels.recoding.key_spans import KeySpans, common_level

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def mondrian_groups(keys: KeySpans, counts: Ints, k: int) -> Ints:
    """Group of each row, numbered from 0; row i stands for `counts[i]` records, and every group has at least k."""
    group = np.zeros(len(counts), np.int64)
    if len(counts):
        order = np.arange(len(counts), dtype=np.int64)
        wide = max(1, int(keys.classes.max(initial=0)) + 2)
        spans = np.zeros(keys.numbers.shape[1] + keys.classes.shape[1])
        room = np.zeros((len(counts) + 1, 2), np.int64)
        _cut(
            keys, counts.astype(np.int64), k, order, np.zeros_like(order), spans, np.zeros(wide, np.int64), room, group
        )
    return group


@jit
def _cut(
    keys: KeySpans,
    counts: Ints,
    k: int,
    order: Ints,
    spare: Ints,
    spans: Floats,
    tally: Ints,
    parts: Ints,
    group: Ints,
) -> None:
    """`parts` is a stack of the pieces of `order` that may still be split."""
    parts[0, 0], parts[0, 1] = 0, len(order)
    waiting, groups = 1, 0
    while waiting > 0:
        waiting -= 1
        start, stop = parts[waiting, 0], parts[waiting, 1]
        _measure_spans(keys, counts, order, start, stop, spans)
        added = 0
        while True:
            widest = ZERO
            for j in range(len(spans)):
                if spans[j] > spans[widest]:
                    widest = j
            if not spans[widest] > 0.0:
                break
            if widest < keys.numbers.shape[1]:
                added = _halve(keys, counts, k, order, spare, start, stop, widest, parts, waiting)
            else:
                tree = widest - keys.numbers.shape[1]
                added = _branch(keys, counts, k, order, spare, start, stop, tree, tally, parts, waiting)
            if added > 0:
                break
            spans[widest] = 0.0
        waiting += added
        if added == 0:
            for s in range(start, stop):
                group[order[s]] = groups
            groups += 1


@jit_part
def _measure_spans(keys: KeySpans, counts: Ints, order: Ints, start: int, stop: int, spans: Floats) -> None:
    numbers = keys.numbers.shape[1]
    for j in range(numbers):
        low, high = np.inf, -np.inf
        missing, known = False, False
        for s in range(start, stop):
            value = keys.numbers[order[s], j]
            if value == value:
                low, high = min(low, value), max(high, value)
                known = True
            else:
                missing = True
        spans[j] = high - low if known else 0.0
        if missing and known:
            spans[j] = max(spans[j], 1e-12)  # values still differ from missing ones
    for t in range(keys.classes.shape[1]):
        level, known_records = common_level(keys, t, order, start, stop, counts)
        spans[numbers + t] = 0.0
        if known_records == 0:
            continue
        missing = False
        for s in range(start, stop):
            code = keys.classes[order[s], t, level]
            if code >= 0:
                spans[numbers + t] = keys.losses[keys.starts[t, level] + code] if level > 0 else 0.0
            else:
                missing = True
        if missing:
            spans[numbers + t] = max(spans[numbers + t], 1e-12)


@jit_part
def _halve(
    keys: KeySpans,
    counts: Ints,
    k: int,
    order: Ints,
    spare: Ints,
    start: int,
    stop: int,
    j: int,
    parts: Ints,
    waiting: int,
) -> int:
    """Split at the median of a number, with missing values lowest; returns the number of parts, 0 if one is too small.

    The median goes to the side that makes the halves more equal.
    """
    median = _median(keys, counts, order, start, stop, j)
    total, below, at = 0, 0, 0
    for s in range(start, stop):
        total += counts[order[s]]
        value = _low_if_missing(keys.numbers[order[s], j])
        if value < median:
            below += counts[order[s]]
        elif value == median:
            at += counts[order[s]]
    least_with = min(below + at, total - below - at)
    least_without = min(below, total - below)
    with_median = least_with >= least_without
    if max(least_with, least_without) < k:
        return 0
    left, right = start, 0
    for s in range(start, stop):
        row = order[s]
        value = _low_if_missing(keys.numbers[row, j])
        if value < median or (with_median and value == median):
            order[left] = row
            left += 1
        else:
            spare[right] = row
            right += 1
    for s in range(right):
        order[left + s] = spare[s]
    parts[waiting, 0], parts[waiting, 1] = start, left
    parts[waiting + 1, 0], parts[waiting + 1, 1] = left, stop
    return 2


@jit_part
def _median(keys: KeySpans, counts: Ints, order: Ints, start: int, stop: int, j: int) -> float:
    """The smallest value with half of the records up to it, found by halving its interval until one value is left."""
    total, low, high = 0, np.inf, -np.inf
    for s in range(start, stop):
        total += counts[order[s]]
        value = _low_if_missing(keys.numbers[order[s], j])
        low, high = min(low, value), max(high, value)
    while low < high:
        middle = low + (high - low) / 2.0 if low > -np.inf else min(-1e300, high)
        if middle >= high:
            middle = low
        upto, next_below, next_above = 0, -np.inf, np.inf
        for s in range(start, stop):
            value = _low_if_missing(keys.numbers[order[s], j])
            if value <= middle:
                upto += counts[order[s]]
                next_below = max(next_below, value)
            else:
                next_above = min(next_above, value)
        if 2 * upto >= total:
            high = next_below
        else:
            low = next_above
    return high


@jit_part
def _low_if_missing(value: float) -> float:
    return value if value == value else -np.inf


@jit_part
def _branch(
    keys: KeySpans,
    counts: Ints,
    k: int,
    order: Ints,
    spare: Ints,
    start: int,
    stop: int,
    t: int,
    tally: Ints,
    parts: Ints,
    waiting: int,
) -> int:
    """Split into the classes one level below the common one, with missing as a class; 0 if one is too small."""
    level, _ = common_level(keys, t, order, start, stop, counts)
    level = max(level - 1, 0)
    tally[:] = 0
    for s in range(start, stop):
        tally[keys.classes[order[s], t, level] + 1] += counts[order[s]]
    classes = 0
    for code in range(len(tally)):
        if 0 < tally[code] < k:
            return 0
        classes += tally[code] > 0
    if classes < 2:
        return 0
    for s in range(start, stop):
        spare[s - start] = order[s]
    place, made = start, 0
    for code in range(len(tally)):
        if tally[code] == 0:
            continue
        begin = place
        for s in range(stop - start):
            if keys.classes[spare[s], t, level] + 1 == code:
                order[place] = spare[s]
                place += 1
        parts[waiting + made, 0], parts[waiting + made, 1] = begin, place
        made += 1
    return made
