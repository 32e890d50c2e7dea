"""MDAV for numbers, ordered and unordered categories, and missing values.

Domingo-Ferrer and Torra (2005), MDAV-generic: the average record has the mean of numbers, the median of ordered and the
mode of unordered categories, over the values that are not missing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.grouping.mdav import mdav_groups
from ammg.kernels.grouping.mixed_records import Records
from ammg.kernels.grouping.removal_tree import insert_candidate
from ammg.kernels.grouping.shared_scans import Scans, measure_from, shared_scans
from ammg.kernels.jit import jit, jit_part

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def mdav_generic_groups(records: Records, k: int, ordinal: NDArray[np.bool_] | None = None) -> Integers:
    """Group of each record, in the order MDAV forms them; takes n²/k time unless many records are all numbers."""
    n, d = records.values.shape
    ordered = np.zeros(d, dtype=np.bool_) if ordinal is None else np.asarray(ordinal, dtype=np.bool_)
    if records.is_plain and not ordered.any():
        return mdav_groups(records.values, k)
    if not 1 <= k <= n:
        raise ValueError(f"{n} records cannot form a group of {k}: choose k from 1 to {n}.")
    codes, levels = _levels(records, ordered)
    with_average = Records(np.vstack([records.values, np.zeros((1, d))]), records.mismatch, records.is_plain)
    group = np.full(n, -1, dtype=np.int64)
    counts = np.zeros(levels.shape, dtype=np.int64)
    sums, nearest, members = np.zeros((2, d)), np.empty(k), np.empty(k, dtype=np.int64)
    with shared_scans(with_average, n) as scans:
        _form_groups(with_average, codes, levels, ordered, scans, group, sums, counts, nearest, members)
    return group


def _levels(records: Records, ordered: NDArray[np.bool_]) -> tuple[Integers, Floats]:
    """Level number of each value of a categorical column, -1 for missing, and the value of each level."""
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
def _form_groups(
    records: Records,
    codes: Integers,
    levels: Floats,
    ordered: NDArray[np.bool_],
    scans: Scans,
    group: Integers,
    sums: Floats,
    counts: Integers,
    nearest: Floats,
    members: Integers,
) -> None:
    """MDAV by full scans; the last row of the records is the average of the remaining ones."""
    left, distances = scans.left, scans.distances
    size, k, label = len(left), len(members), 0
    for i in range(size):
        _count(records, codes, i, np.int64(1), sums, counts)
    while size >= 2 * k:
        both = size >= 3 * k
        _average(records, codes, levels, ordered, sums, counts)
        measure_from(records, scans, size, len(codes))
        for _ in range(2 if both else 1):
            seed = _farthest(scans, size)
            measure_from(records, scans, size, seed)
            _find_nearest(scans, size, seed, nearest, members)
            for m in range(k):
                group[members[m]] = label
                _count(records, codes, members[m], np.int64(-1), sums, counts)
            kept = 0
            for t in range(size):
                if group[left[t]] < 0:
                    left[kept], distances[kept] = left[t], distances[t]
                    kept += 1
            size = kept
            label += 1
    for t in range(size):
        group[left[t]] = label


@jit_part
def _count(records: Records, codes: Integers, i: int, sign: int | np.int64, sums: Floats, counts: Integers) -> None:
    """Add a record to the numbers of values, their sums and the counts, or subtract it."""
    for j in range(codes.shape[1]):
        value = records.values[i, j]
        if value == value:
            sums[0, j] += sign
            sums[1, j] += sign * value
            if codes[i, j] >= 0:
                counts[j, codes[i, j]] += sign


@jit_part
def _average(
    records: Records, codes: Integers, levels: Floats, ordered: NDArray[np.bool_], sums: Floats, counts: Integers
) -> None:
    """Write mean, median or mode of each column into the last row."""
    n = len(codes)
    for j in range(codes.shape[1]):
        if sums[0, j] == 0:
            records.values[n, j] = np.nan
        elif ordered[j]:
            below, level = counts[j, 0], 0
            while 2 * below < sums[0, j]:
                level += 1
                below += counts[j, level]
            records.values[n, j] = levels[j, level]
        elif records.mismatch[j] > 0.0:
            mode = 0
            for level in range(1, counts.shape[1]):
                if counts[j, level] > counts[j, mode]:
                    mode = level
            records.values[n, j] = levels[j, mode]
        else:
            records.values[n, j] = sums[1, j] / sums[0, j]


@jit_part
def _farthest(scans: Scans, size: int) -> int:
    best, record = -1.0, -1
    for t in range(size):
        if scans.distances[t] > best:
            best, record = scans.distances[t], scans.left[t]
    return record


@jit_part
def _find_nearest(scans: Scans, size: int, seed: int, nearest: Floats, members: Integers) -> None:
    """The seed and its k-1 nearest."""
    k = len(members)
    for m in range(k):
        nearest[m], members[m] = np.inf, -1
    for t in range(size):
        distance = scans.distances[t] if scans.left[t] != seed else -1.0
        if distance < nearest[k - 1]:
            insert_candidate(nearest, members, distance, scans.left[t])
