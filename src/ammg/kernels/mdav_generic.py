"""MDAV for numbers, ordered and unordered categories, and missing values.

Domingo-Ferrer and Torra (2005), MDAV-generic: the average record has the mean of numbers, the median of ordered and the
mode of unordered categories, over the values that are not missing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit
from ammg.kernels.mdav import mdav_groups
from ammg.kernels.mixed_records import Records, dissimilarity
from ammg.kernels.removal_tree import insert_candidate

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def mdav_generic_groups(records: Records, k: int, ordinal: NDArray[np.bool_] | None = None) -> Integers:
    """Group of each record, in the order MDAV forms them; time is n²/k unless the records are plain numbers."""
    n, d = records.values.shape
    ordered = np.zeros(d, dtype=np.bool_) if ordinal is None else np.asarray(ordinal, dtype=np.bool_)
    if records.is_plain and not ordered.any():
        return mdav_groups(records.values, k)
    if not 1 <= k <= n:
        raise ValueError(f"{n} records cannot form a group of {k}: choose k from 1 to {n}.")
    codes, levels = _levels(records, ordered)
    with_average = Records(np.vstack([records.values, np.zeros((1, d))]), records.mismatch, records.is_plain)
    return _mdav(with_average, codes, levels, ordered, k)


def _levels(records: Records, ordered: NDArray[np.bool_]) -> tuple[Integers, Floats]:
    """Number of the level of each value of a categorical column, -1 for none, and the value of each level."""
    n, d = records.values.shape
    codes = np.full((n, d), -1, dtype=np.int64)
    tables = []
    for j in range(d):
        table = np.zeros(0)
        if ordered[j] or records.mismatch[j] > 0:
            seen = ~np.isnan(records.values[:, j])
            table, codes[seen, j] = np.unique(records.values[seen, j], return_inverse=True)
        tables.append(table)
    levels = np.full((d, max((len(table) for table in tables), default=0)), np.nan)
    for j, table in enumerate(tables):
        levels[j, : len(table)] = table
    return codes, levels


@jit
def _mdav(records: Records, codes: Integers, levels: Floats, ordered: NDArray[np.bool_], k: int) -> Integers:
    """MDAV by full scans; the last row of the records is the average of those that are left."""
    n = len(codes)
    d = records.values.shape[1]
    left = np.arange(n)
    group = np.full(n, -1, np.int64)
    total, seen = np.zeros(d), np.zeros(d)
    counts = np.zeros(levels.shape, np.int64)
    for i in range(n):
        _count(records, codes, i, 1.0, total, seen, counts)
    nearest, members = np.empty(k), np.empty(k, np.int64)
    label = 0
    while len(left) >= 2 * k:
        both = len(left) >= 3 * k
        _average(records, codes, levels, ordered, total, seen, counts)
        r = _farthest(records, left, n)
        _nearest(records, left, r, nearest, members)
        left = _take(records, codes, left, members, group, label, total, seen, counts)
        label += 1
        if both:
            s = _farthest(records, left, r)
            _nearest(records, left, s, nearest, members)
            left = _take(records, codes, left, members, group, label, total, seen, counts)
            label += 1
    group[left] = label
    return group


@jit
def _count(
    records: Records, codes: Integers, i: int, sign: float, total: Floats, seen: Floats, counts: Integers
) -> None:
    """Add a record to the sums and counts, or take it away."""
    for j in range(codes.shape[1]):
        if not np.isnan(records.values[i, j]):
            seen[j] += sign
            total[j] += sign * records.values[i, j]
            if codes[i, j] >= 0:
                counts[j, codes[i, j]] += int(sign)


@jit
def _average(
    records: Records,
    codes: Integers,
    levels: Floats,
    ordered: NDArray[np.bool_],
    total: Floats,
    seen: Floats,
    counts: Integers,
) -> None:
    """Write mean, median or mode of each column into the last row."""
    n = len(codes)
    for j in range(codes.shape[1]):
        if seen[j] == 0:
            records.values[n, j] = np.nan
        elif ordered[j]:
            below, level = counts[j, 0], 0
            while 2 * below < seen[j]:
                level += 1
                below += counts[j, level]
            records.values[n, j] = levels[j, level]
        elif records.mismatch[j] > 0.0:
            records.values[n, j] = levels[j, np.argmax(counts[j])]
        else:
            records.values[n, j] = total[j] / seen[j]


@jit
def _farthest(records: Records, left: Integers, origin: int) -> int:
    best, record = -1.0, -1
    for i in left:
        distance = dissimilarity(records, i, origin)
        if distance > best:
            best, record = distance, i
    return record


@jit
def _nearest(records: Records, left: Integers, seed: int, nearest: Floats, members: Integers) -> None:
    """The seed and its k-1 nearest."""
    k = len(members)
    nearest[:] = np.inf
    members[:] = -1
    for i in left:
        distance = dissimilarity(records, i, seed) if i != seed else -1.0
        if distance < nearest[k - 1]:
            insert_candidate(nearest, members, distance, i)


@jit
def _take(
    records: Records,
    codes: Integers,
    left: Integers,
    members: Integers,
    group: Integers,
    label: int,
    total: Floats,
    seen: Floats,
    counts: Integers,
) -> Integers:
    """Give the members their group; the records left."""
    for member in members:
        group[member] = label
        _count(records, codes, member, -1.0, total, seen, counts)
    kept = 0
    for i in left:
        if group[i] < 0:
            left[kept] = i
            kept += 1
    return left[:kept]
