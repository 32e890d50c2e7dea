"""Records of numbers and categories, and the dissimilarity of two of them.

The dissimilarity is a squared distance: numbers add their squared difference, nominal attributes a constant if they
differ. Attributes missing in either record are left out, and the sum is scaled by the number of attributes over the
number compared (Gower 1971). Two records without a common attribute count as unlike as two records drawn at random,
whose dissimilarity is 2 for each standardised attribute.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Records(NamedTuple):
    """Numbers as they enter the distance; categories as their codes; missing values NaN."""

    values: Floats
    mismatch: Floats  # added if categories differ, 0 for a number
    is_plain: bool  # numbers only, without missing values


def numeric_records(values: Floats) -> Records:
    """Records of numbers, which enter the distance unchanged."""
    rows = np.require(values, np.float64, ["C", "W"])
    return Records(rows, np.zeros(rows.shape[1]), not bool(np.isnan(rows).any()))


def mixed_records(
    values: Floats, nominal: NDArray[np.bool_], importance: Floats | None = None, *, standardise: bool = True
) -> Records:
    """Records of numbers and, in the columns that are `nominal`, codes.

    Standardised, two records drawn at random differ by 2 in each attribute, times its importance: numbers are centred
    and divided by their standard deviation, and a mismatch of categories adds 2 over the probability of a mismatch.
    Otherwise numbers count unchanged and a mismatch adds 1. Constant attributes drop out of the distance.
    """
    rows = np.array(values, dtype=np.float64, order="C")
    factors = np.ones(rows.shape[1]) if importance is None else np.asarray(importance, dtype=np.float64)
    mismatch = np.zeros(rows.shape[1])
    for j in range(rows.shape[1]):
        seen = rows[~np.isnan(rows[:, j]), j]
        if not nominal[j]:
            column = _standardise(rows[:, j], seen) if standardise else rows[:, j]
            rows[:, j] = column * np.sqrt(factors[j])
            continue
        shares = np.unique(seen, return_counts=True)[1] / max(len(seen), 1)
        differ = 1.0 - float((shares**2).sum())
        mismatch[j] = factors[j] * (2.0 / differ if standardise else 1.0) if differ > 1e-12 else 0.0
        if mismatch[j] == 0.0:
            rows[~np.isnan(rows[:, j]), j] = 0.0
    return Records(rows, mismatch, not bool(nominal.any()) and not bool(np.isnan(rows).any()))


def sketch(records: Records, rng: np.random.Generator) -> Floats:
    """The records as points: categories become random numbers at suitable distances, missing values zero."""
    points = records.values.copy()
    for j in np.flatnonzero(records.mismatch):
        seen = ~np.isnan(points[:, j])
        levels, codes = np.unique(points[seen, j], return_inverse=True)
        points[seen, j] = rng.normal(size=len(levels))[codes] * np.sqrt(records.mismatch[j] / 2.0)
    return np.nan_to_num(points)


@jit
def dissimilarity(records: Records, i: int, j: int) -> float:
    """Squared distance of two records."""
    total: float = 0.0
    values = records.values
    if records.is_plain:
        for c in range(values.shape[1]):
            total += (values[i, c] - values[j, c]) ** 2
        return total
    compared = 0
    for c in range(values.shape[1]):
        left, right = values[i, c], values[j, c]
        if left != left or right != right:
            continue
        compared += 1
        if records.mismatch[c] > 0.0:
            total += records.mismatch[c] if left != right else 0.0
        else:
            total += (left - right) ** 2
    attributes: int = values.shape[1]
    return total * attributes / compared if compared > 0 else 2.0 * attributes


def _standardise(column: Floats, seen: Floats) -> Floats:
    deviation = float(seen.std(ddof=1)) if len(seen) > 1 else 0.0
    # The spread of equal large numbers is only rounding error.
    if deviation <= 1e-13 * float(np.abs(seen).max(initial=0.0)):
        return np.where(np.isnan(column), np.nan, 0.0)
    return np.asarray((column - seen.mean()) / deviation)
