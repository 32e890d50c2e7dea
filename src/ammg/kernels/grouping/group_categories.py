"""The category that represents a group: the most frequent one, or the median of ordered categories."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Codes = NDArray[np.int32]


def group_modes(codes: Codes, group: Integers, weights: Floats | None = None) -> Codes:
    """Most frequent code of each group, or the one of greatest weight; the lowest if tied, -1 if there is none."""
    cell_group, cell_code, mass = _cells(codes, group, weights)
    order = np.lexsort((cell_code, -mass, cell_group))
    return _first_of_each(cell_group[order], cell_code[order], group)


def group_medians(codes: Codes, group: Integers, weights: Floats | None = None) -> Codes:
    """Lowest code of each group with at least half of the (weighted) values up to it; -1 if there is none."""
    cell_group, cell_code, mass = _cells(codes, group, weights)
    total = np.bincount(cell_group, mass, minlength=1)
    up_to = np.cumsum(mass)
    before = np.concatenate([[0.0], np.cumsum(total)[:-1]])
    reached = 2.0 * (up_to - before[cell_group]) >= total[cell_group] * (1.0 - 1e-12)
    return _first_of_each(cell_group[reached], cell_code[reached], group)


def shared_categories(
    codes: Codes, group: Integers, k: int, weights: Floats | None = None, *, ordered: bool = False
) -> Codes:
    """Replace codes by the mode, or the median, of their group; missing ones (-1) stay.

    Groups with fewer than k observed values share one representative, computed from all such groups together, or from
    the whole column if these have fewer than k values in total.
    """
    represent = group_medians if ordered else group_modes
    seen = codes >= 0
    masked = np.where(seen, represent(codes, group, weights)[group], np.int32(-1))
    few = seen & (np.bincount(group[seen], minlength=int(group.max(initial=0)) + 1)[group] < k)
    if few.any():
        pooled = few if few.sum() >= k else seen
        mass = None if weights is None else weights[pooled]
        masked[few] = represent(codes[pooled], np.zeros(int(pooled.sum()), dtype=np.int64), mass)[0]
    return masked


def _cells(codes: Codes, group: Integers, weights: Floats | None) -> tuple[Integers, Integers, Floats]:
    """Group, code and number (or weight) of records of each combination that occurs, sorted by group and code."""
    seen = codes >= 0
    levels = int(codes.max(initial=0)) + 1
    cells, of_record = np.unique(group[seen] * levels + codes[seen], return_inverse=True)
    mass = np.bincount(of_record, None if weights is None else weights[seen], minlength=len(cells))
    return cells // levels, cells % levels, mass.astype(np.float64)


def _first_of_each(cell_group: Integers, cell_code: Integers, group: Integers) -> Codes:
    result = np.full(int(group.max(initial=-1)) + 1, -1, dtype=np.int32)
    present, first = np.unique(cell_group, return_index=True)
    result[present] = cell_code[first]
    return result
