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

from ammg.kernels.jit import jit, jit_part
from ammg.kernels.linkage.nearest import k_nearest

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NEIGHBOURS = 48  # records among which a group is sought, if there are enough draws
NULL = 1e-5  # share of the largest eigenvalue below which a direction counts as null, despite rounding
ALIKE = 0.03  # relative difference of the weights of members
HALVES = 100_000  # subsets of half a group that are tried
EQUAL = 1e-7  # of a deviation: how close sums must be to count as equal
LOOSE = 3e-3  # beyond it, too many sums are close
GRID = 256  # cells along each side of the grid of two projections
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
    turn: Floats = np.random.default_rng(len(released)).normal(size=(released.shape[1], 2)) / slack[:, None]
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
    """Rows of `size` points whose sum is closest to the wanted one; None if there are none.

    Two projections are compared before the columns: second halves are sorted into a grid of them, and each first half
    looks up the cells in which what it lacks can lie.
    """
    if len(points) < size:
        return None
    first, second = _halves(len(points), size // 2), _halves(len(points), size - size // 2)
    left, right = np.empty((2, len(first))), np.empty((2, len(second)))
    _sums(keys, first, left)
    _sums(keys, second, right)
    reach = size * np.abs(turn).T @ slack
    least = right.min(axis=1)
    width = np.maximum((right.max(axis=1) - least) / GRID, reach / GRID)
    starts, order = np.zeros(GRID * (GRID + 1) + 1, dtype=np.int64), np.empty(len(second), dtype=np.int64)
    _sort(right, least, width, starts, order)
    chosen = np.full(size, -1)
    _closest(
        points,
        wanted,
        size * slack,
        first,
        second,
        (wanted @ turn)[:, None] - left,
        right,
        reach,
        least,
        width,
        starts,
        order,
        chosen,
    )
    return chosen if chosen[0] >= 0 else None


@jit
def _sums(keys: Floats, halves: Ints, out: Floats) -> None:
    """The projections of the sum of each half."""
    for row in range(len(halves)):
        out[0, row] = 0.0
        out[1, row] = 0.0
        for place in range(halves.shape[1]):
            out[0, row] += keys[halves[row, place], 0]
            out[1, row] += keys[halves[row, place], 1]


@jit_part
def _cell(value: float, least: float, width: float) -> int:
    """The cell of a value along one side of the grid; those outside are in the nearest one."""
    return int(min(max((value - least) / width, 0.0), GRID - 1.0))


@jit
def _sort(sums: Floats, least: Floats, width: Floats, starts: Ints, order: Ints) -> None:
    """Sort sums by the cells of the grid: those of a cell lie in `order` from its place in `starts` up to the next."""
    for row in range(sums.shape[1]):
        cell = _cell(sums[1, row], least[1], width[1]) * GRID + _cell(sums[0, row], least[0], width[0])
        starts[cell + 2] += 1
    for cell in range(2, len(starts)):
        starts[cell] += starts[cell - 1]
    for row in range(sums.shape[1]):
        cell = _cell(sums[1, row], least[1], width[1]) * GRID + _cell(sums[0, row], least[0], width[0])
        order[starts[cell + 1]] = row
        starts[cell + 1] += 1


@jit_part
def _gap(points: Floats, wanted: Floats, slack: Floats, left: Ints, right: Ints, enough: float) -> float:
    """How far the sum of two halves is off, as a multiple of the slack; the first column that is too far ends it."""
    worst = 0.0
    for column in range(points.shape[1]):
        total = -wanted[column]
        for row in left:
            total += points[row, column]
        for row in right:
            total += points[row, column]
        worst = max(worst, abs(total) / slack[column])
        if worst >= enough:
            break
    return worst


@jit_part
def _overlap(left: Ints, right: Ints) -> bool:
    """Whether a row is in both halves."""
    for a in left:
        for b in right:
            if a == b:
                return True
    return False


@jit
def _closest(
    points: Floats,
    wanted: Floats,
    slack: Floats,
    first: Ints,
    second: Ints,
    lacks: Floats,
    sums: Floats,
    reach: Floats,
    least: Floats,
    width: Floats,
    starts: Ints,
    order: Ints,
    chosen: Ints,
) -> None:
    """Put the two halves whose sum is closest to the wanted one into `chosen`, if any is within the slack."""
    best = 1.0
    for a in range(len(first)):
        low = _cell(lacks[0, a] - reach[0], least[0], width[0])
        high = _cell(lacks[0, a] + reach[0], least[0], width[0])
        bottom = _cell(lacks[1, a] - reach[1], least[1], width[1])
        for line in range(bottom, _cell(lacks[1, a] + reach[1], least[1], width[1]) + 1):
            for place in range(starts[line * GRID + low], starts[line * GRID + high + 1]):
                b = order[place]
                if abs(sums[0, b] - lacks[0, a]) > reach[0] or abs(sums[1, b] - lacks[1, a]) > reach[1]:
                    continue
                gap = _gap(points, wanted, slack, first[a], second[b], best)
                if gap < best and not _overlap(first[a], second[b]):
                    best = gap
                    half = first.shape[1]
                    for member in range(len(chosen)):
                        chosen[member] = first[a, member] if member < half else second[b, member - half]


@lru_cache(maxsize=64)
def _halves(count: int, size: int) -> Ints:
    return np.array(list(combinations(range(count), size)), dtype=np.int64).reshape(-1, size)
