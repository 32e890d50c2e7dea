"""Contingency tables and comparisons between two of them. The last entry of every axis is for missing values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int32]
Floats = NDArray[np.float64]


def cross_counts(codes: Sequence[Codes], sizes: Sequence[int], weights: Floats | None = None) -> Floats:
    """Count the combinations of columns of codes, -1 being missing; with weights, sum them."""
    shape = tuple(size + 1 for size in sizes)
    place = np.zeros(len(codes[0]), dtype=np.int64)
    for column, size in zip(codes, sizes, strict=True):
        place *= size + 1
        place += np.where(column < 0, size, column)
    return np.bincount(place, weights, int(np.prod(shape))).astype(np.float64).reshape(shape)


def filled_cells(
    rows: Codes, columns: Codes, height: int, width: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Row, column and count of the non-empty cells, for records whose row is not missing.

    Column `width` is for missing values. The table itself is not built, as it may have more cells than records.
    """
    known = rows >= 0
    if not known.all():
        rows, columns = rows[known], columns[known]
    place = rows.astype(np.int64) * (width + 1)
    place += np.where(columns < 0, width, columns)
    if height * (width + 1) <= 4 * len(place):
        counts = np.bincount(place, minlength=height * (width + 1))
        filled = np.flatnonzero(counts)
        counts = counts[filled]
    else:
        filled, counts = np.unique(place, return_counts=True)
    return filled // (width + 1), filled % (width + 1), counts


def spread_classes(
    table: Floats, axis: int, classes: NDArray[np.int64], categories: NDArray[np.int64], size: int
) -> Floats:
    """Distribute the counts of each released class evenly over the original categories that it may stand for.

    Class `classes[i]` may stand for `categories[i]`; missing stays missing.
    """
    along = np.moveaxis(table, axis, 0)
    members = np.bincount(classes, minlength=len(along) - 1)
    out = np.zeros((size + 1, *along.shape[1:]))
    share = (1 / members[classes]).reshape(-1, *[1] * (along.ndim - 1))
    np.add.at(out, categories, along[classes] * share)
    out[size] = along[-1]
    return np.moveaxis(out, 0, axis)


def without_missing(table: Floats) -> Floats:
    """The cells in which nothing is missing."""
    return table[(slice(-1),) * table.ndim]


def total_variation(original: Floats, masked: Floats) -> float:
    """Half the sum of absolute differences of two distributions: 0 if equal, 1 if they have no common cell."""
    return float(np.abs(_shares(original) - _shares(masked)).sum() / 2)


def hellinger(original: Floats, masked: Floats) -> float:
    """The Hellinger distance of two distributions, from 0 to 1."""
    apart = np.sqrt(_shares(original)) - np.sqrt(_shares(masked))
    return float(np.sqrt(np.square(apart).sum() / 2))


def cramers_v(table: Floats) -> float:
    """Cramér's V of a two-way table; 0 for an empty one, NaN if a side has one category."""
    least = min(table.shape) - 1
    if least < 1:
        return float("nan")
    total = table.sum()
    if not total:
        return 0.0
    shares = table / total
    expected = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    chi_square = float((np.square(shares)[expected > 0] / expected[expected > 0]).sum()) - 1
    return float(np.sqrt(max(chi_square, 0.0) / least))


def entropy(counts: Floats) -> float:
    """Entropy of a distribution in bits."""
    shares = _shares(counts)
    some = shares[shares > 0]
    return float(-(some * np.log2(some)).sum())


def mutual_information(table: Floats) -> float:
    """The mutual information of the two sides of a two-way table, in bits."""
    return max(0.0, entropy(table.sum(axis=1)) + entropy(table.sum(axis=0)) - entropy(table))


def conditional_entropy(joint: Floats) -> float:
    """The entropy of the rows given the column, in bits."""
    return max(0.0, entropy(joint) - entropy(joint.sum(axis=0)))


def _shares(counts: Floats) -> Floats:
    total = counts.sum()
    return counts / total if total > 0 else np.zeros_like(counts)
