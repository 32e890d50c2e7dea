"""Confidential values that other released columns reveal, such as an income class beside a masked income."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.kernels.columns import pieces
from ammg.kernels.threads import in_threads
from ammg.measures.linkage.intruder import Knowledge
from ammg.measures.linkage.signs import beside_codes

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST_TOLD = 0.5  # of the mean deviation of a number: a column that leaves more of it tells too little
FOLDS = 5
LEAST_PAIRS = 20


def with_told_values(pair: Pair, secret: Knowledge, known: Iterable[str]) -> Knowledge | None:
    """The hidden attributes with the values that another released column tells in place of those shown; None if none.

    True pairs teach what it tells, and nobody is guessed by what was learned from themselves. Known columns are left
    out: nearest records tell what those tell.
    """
    from ammg.kernels.matching.fold_linkage import fold_numbers

    link = pair.link
    if np.sum(link >= 0) < LEAST_PAIRS:
        return None
    folds = fold_numbers(link, pair.n, FOLDS)
    told = secret.masked.copy()
    beside = beside_codes(pair, set(known))

    def tell(position: int) -> None:
        columns = [codes for name, codes in beside.items() if name != secret.names[position]]
        own = secret.original[:, position]
        for fold in range(FOLDS):
            teachers, mine = np.where(folds == fold, -1, link), folds == fold
            values = (_categories if secret.categorical[position] else _numbers)(own, columns, teachers)
            if values is not None:
                told[mine, position] = values[mine]

    in_threads(tell, range(len(secret.names)), told.size * len(beside))
    return None if np.array_equal(told, secret.masked, equal_nan=True) else replace(secret, masked=told)


def _categories(own: Floats, columns: list[Ints], teachers: Ints) -> Floats | None:
    """The category that the column which tells most tells of each record; NaN where it tells none."""
    from ammg.kernels.linkage.value_signs import Sign, learn_sign

    codes = np.where(np.isnan(own), -1, own).astype(np.int64)
    learned = [told for seen in columns if (told := learn_sign(Sign(codes, seen), teachers))]
    if not learned:
        return None
    shown = max(learned, key=lambda told: told.worth).shown
    return np.where(shown < 0, np.nan, shown)


def _numbers(own: Floats, columns: list[Ints], teachers: Ints) -> Floats | None:
    """The mean of the people whose records show the same in the column that leaves least of their deviations."""
    taught = np.flatnonzero(teachers >= 0)
    taught = taught[~np.isnan(own[teachers[taught]])]
    values = own[teachers[taught]]
    median = float(np.median(values)) if len(values) else 0.0
    away = np.abs(values - median)
    best, least = None, LEAST_TOLD * float(away.sum())
    for seen in columns:
        codes = seen[taught]
        size = int(seen.max(initial=0)) + 1
        codes[codes < 0] = size
        sums = np.bincount(codes, values, minlength=size + 1).astype(np.float64)
        counts = np.bincount(codes, minlength=size + 1)
        counts[size] = 1  # where the column shows nothing, nobody tells of others
        left = _deviations(values, away, codes, sums, counts, least)
        if left < least:
            means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
            means[size] = np.nan
            best, least = means[seen], left
    return best


def _deviations(
    values: Floats, away: Floats, codes: Ints, sums: Floats, counts: NDArray[np.int_], least: float
) -> float:
    """The deviations from the mean of the others with the same code, added up; it stops once they reach `least`."""
    left, others = 0.0, counts - 1
    divisors = np.maximum(others, 1)
    for part in pieces(len(values)):
        code, value = codes[part], values[part]
        without = (sums[code] - value) / divisors[code]
        left += float(np.where(others[code] > 0, np.abs(value - without), away[part]).sum())
        if left >= least:
            break
    return left
