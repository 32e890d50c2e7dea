"""The most frequent values among the records nearest to each point, in compiled code."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit, jit_part

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@jit
def gather(nearest: Ints, tied: Ints, records: Ints, begins: Ints, values: Ints, distinct: int, keys: Ints) -> None:
    """Write the point and the value of all records at its nearest places, as one number; -1 is no place.

    The first places of each point are used, as many as are tied; `values` are numbered from 0 to `distinct`, and the
    `records` of each place begin where `begins` says.
    """
    used = 0
    for point in range(len(nearest)):
        for k in range(tied[point]):
            place = nearest[point, k]
            if place < 0:
                continue
            for r in range(begins[place], begins[place + 1]):
                keys[used] = point * distinct + values[records[r]]
                used += 1


@jit
def guess(
    keys: Ints,
    sizes: Ints,
    distinct: int,
    around: Ints,
    people: Ints,
    starts: Ints,
    around_truth: Ints,
    support: Ints,
    likely: Ints,
    right: Floats,
) -> None:
    """Write the probability that each person's value lies around a value that has the most values around it.

    `keys` are points and values in order, `sizes` their numbers at each point; `people` and `starts` are the people of
    each point. `around` has the first value around each value and the first beyond, `around_truth` those of each
    person's value. `support` and `likely` are working memory.
    """
    begin = 0
    likely[0] = 0
    for point in range(len(sizes)):
        end, base = begin + sizes[point], point * distinct
        low, high, most = begin, begin, 0
        for k in range(begin, end):
            value = keys[k] - base
            while keys[low] - base < around[value, 0]:
                low += 1
            while high < end and keys[high] - base < around[value, 1]:
                high += 1
            support[k] = high - low
            most = max(most, high - low)
        for k in range(begin, end):
            likely[k + 1] = likely[k] + (1 if support[k] == most else 0)
        choices = max(likely[end] - likely[begin], 1)
        for q in range(starts[point], starts[point + 1]):
            person = people[q]
            lowest = _place(keys, begin, end, base + around_truth[person, 0])
            beyond = _place(keys, begin, end, base + around_truth[person, 1])
            right[person] = (likely[beyond] - likely[lowest]) / choices
        begin = end


@jit_part
def _place(keys: Ints, begin: int, end: int, key: int) -> int:
    """Where the first key that is not smaller stands."""
    while begin < end:
        middle = (begin + end) // 2
        if keys[middle] < key:
            begin = middle + 1
        else:
            end = middle
    return begin
