"""Groups whose noise sums to zero are revealed by their sums.

In replays of the recipe, the noise of the members of a group is linearly dependent in every draw and every column: the
group spans a null direction among its neighbours. In the release, the members are records that add up to the sum of the
group. They are found by meeting in the middle: sums of half a group are sorted, and the other half is looked up.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.linkage.nearest import k_nearest

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NEIGHBOURS = 48  # records among which a group is sought, if there are enough draws
NULL = 1e-5  # share of the largest eigenvalue below which a direction counts as null, despite rounding
ALIKE = 0.03  # relative difference of the weights of members
HALVES = 100_000  # subsets of half a group that are tried
EQUAL = 1e-7  # of a deviation: how close sums must be to count as equal
LOOSE = 3e-3  # beyond it, too many sums are close
PAIRS = 200_000  # pairs of halves that are added at a time
LARGEST = 10


def zero_sum_groups(noise: Floats, places: Floats) -> Ints:
    """The group of each person, -1 if none is detected; `noise` has draws and columns side by side, one row each.

    Neighbours are people close to each other in `places`.
    """
    n = len(noise)
    label = np.full(n, -1, dtype=np.int64)
    size = np.sqrt((noise**2).sum(axis=1))
    free = size > 0
    unit = np.divide(noise, size[:, None], out=np.zeros_like(noise), where=free[:, None])
    count = min(NEIGHBOURS, noise.shape[1] - 4, n)
    if count < 4:
        return label
    near = k_nearest(places, places, count)[0]
    groups = 0
    for person in range(n):
        if label[person] >= 0 or not free[person]:
            continue
        rows = near[person][(near[person] >= 0) & free[near[person]]]
        rows = rows[label[rows] < 0]
        values, vectors = np.linalg.eigh(unit[rows] @ unit[rows].T)
        null = vectors[:, values < NULL * values[-1]]
        weight = null @ null[np.flatnonzero(rows == person)[0]] * size[person] if null.size else np.zeros(len(rows))
        shares = weight / size[rows]
        members = np.abs(shares) > ALIKE * np.abs(shares).max(initial=0.0)
        if members.sum() > 1 and np.allclose(shares[members], np.median(shares[members]), rtol=ALIKE):
            label[rows[members]] = groups
            groups += 1
    return label


def records_of_groups(released: Floats, sums: Floats, sizes: Ints, near: Ints, blur: Floats | float = 0.0) -> Ints:
    """The group of each released record, -1 if none is found, from the sums of the groups.

    Columns are in units of their deviation; `near` lists released records for each group, nearest first. Sums may be
    off by `blur` in each column because of rounding.
    """
    label = np.full(len(released), -1, dtype=np.int64)
    slack = np.maximum(np.broadcast_to(blur, released.shape[1]), EQUAL)
    if slack.max(initial=0.0) > LOOSE:
        return label
    turn: Floats = np.random.default_rng(len(released)).normal(size=(released.shape[1],))
    keys = released @ turn
    for width in (0.5, 1.0):
        for group in np.argsort(sizes, kind="stable"):
            if sizes[group] > LARGEST or (label == group).any():
                continue
            rows = near[group][near[group] >= 0]
            rows = rows[label[rows] < 0][: max(int(width * _most(int(sizes[group]))), int(sizes[group]))]
            chosen = _subset(released[rows], keys[rows], sums[group], turn, int(sizes[group]), slack)
            if chosen is not None:
                label[rows[chosen]] = group
    return label


def _most(size: int) -> int:
    """Number of records to try, so that there are not too many halves."""
    half, count = (size + 1) // 2, size
    while comb(count + 1, half) <= HALVES and count < 200:
        count += 1
    return count


def _subset(points: Floats, keys: Floats, wanted: Floats, turn: Floats, size: int, slack: Floats) -> Ints | None:
    """Rows of `size` points whose sum is closest to the wanted one; None if there are none."""
    if len(points) < size:
        return None
    first, second = _halves(len(points), size // 2), _halves(len(points), size - size // 2)
    left, right = keys[first].sum(axis=1), keys[second].sum(axis=1)
    order = np.argsort(right)
    key, reach = float(wanted @ turn), size * float(np.abs(turn) @ slack)
    low = np.searchsorted(right[order], key - left - reach)
    count = np.searchsorted(right[order], key - left + reach) - low
    best, chosen = np.inf, None
    some = np.flatnonzero(count)
    for part in np.array_split(some, max(int(count.sum()) // PAIRS, 1)):
        a = np.repeat(part, count[part])
        place = np.arange(len(a)) - np.repeat(np.cumsum(count[part]) - count[part], count[part])
        b = order[np.repeat(low[part], count[part]) + place]
        gaps = np.abs(_sums(points, first[a]) + _sums(points, second[b]) - wanted) / (size * slack)
        for match in np.flatnonzero(gaps.max(axis=1, initial=0.0) < 1.0):
            rows = np.concatenate([first[a[match]], second[b[match]]])
            if len(set(rows.tolist())) == size and gaps[match].max() < best:
                best, chosen = float(gaps[match].max()), rows
    return chosen


def _sums(points: Floats, rows: Ints) -> Floats:
    return np.asarray(sum(points[rows[:, place]] for place in range(rows.shape[1])))


@lru_cache(maxsize=64)
def _halves(count: int, size: int) -> Ints:
    return np.array(list(combinations(range(count), size)), dtype=np.int64).reshape(-1, size)
