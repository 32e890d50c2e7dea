"""Distribution of a sensitive attribute in each equivalence class, stored without empty cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.anonymity.cells import count_cells
from ammg.kernels.loss.tables import filled_cells

Ints = NDArray[np.int64]

_CHUNK = 1 << 22  # cells of a dense block: 32 MB of float64


@dataclass(frozen=True)
class ClassDistributions:
    """Counts of the values of one sensitive attribute within each equivalence class.

    Entry e: class `classes[e]` contains `counts[e]` records with value `values[e]`. Entries are in the order of classes
    and, within a class, of values, so that the order of records makes no difference. Records whose value is missing are
    left out: they neither add diversity nor disclose anything.
    """

    classes: Ints
    values: Ints
    counts: Ints
    n_classes: int
    n_values: int

    @cached_property
    def totals(self) -> NDArray[np.float64]:
        """Records with a known value in each class."""
        return self.sum_by_class(self.counts.astype(np.float64))

    @cached_property
    def overall(self) -> NDArray[np.float64]:
        """Share of each value in the whole file."""
        counts = np.bincount(self.values, weights=self.counts, minlength=self.n_values)
        return np.asarray(counts / max(1.0, float(counts.sum())), np.float64)

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """Share of each entry's value within its class."""
        return np.asarray(self.counts / self.totals[self.classes], np.float64)

    @cached_property
    def begins(self) -> NDArray[np.bool_]:
        """Which entries are the first of their class."""
        first = np.ones(self.classes.size, np.bool_)
        np.not_equal(self.classes[1:], self.classes[:-1], out=first[1:])
        return first

    def sum_by_class(self, amounts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum of one amount per entry within each class."""
        return np.asarray(np.bincount(self.classes, weights=amounts, minlength=self.n_classes), np.float64)

    def max_by_class(self, amounts: NDArray[np.float64], empty: float) -> NDArray[np.float64]:
        """Largest amount within each class, `empty` for classes without an entry."""
        largest = np.full(self.n_classes, empty)
        if self.classes.size:
            starts = np.flatnonzero(self.begins)
            largest[self.classes[starts]] = np.maximum.reduceat(amounts, starts)
        return largest

    def dense_blocks(self) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        """Shares as matrices, classes in rows and values in columns, a block of classes at a time."""
        rows = max(1, _CHUNK // max(1, self.n_values))
        for start in range(0, self.n_classes, rows):
            stop = min(self.n_classes, start + rows)
            low, high = np.searchsorted(self.classes, [start, stop])
            block = np.zeros((stop - start, self.n_values))
            block[self.classes[low:high] - start, self.values[low:high]] = self.shares[low:high]
            yield slice(start, stop), block


def class_distributions(
    classes: NDArray[np.int32], n_classes: int, sensitive: NDArray[np.int32], n_values: int
) -> ClassDistributions:
    """Tabulate a sensitive attribute (codes, -1 missing) within the class of each record."""
    rows, values, counts = filled_cells(classes, sensitive, n_classes, n_values)
    known = values < n_values
    if not known.all():
        rows, values, counts = rows[known], values[known], counts[known]
    return ClassDistributions(rows, values, counts, n_classes=n_classes, n_values=n_values)


def tabulate_cells(
    classes: NDArray[np.int32], n_classes: int, values: NDArray[np.int32], n_values: int, counts: NDArray[np.int64]
) -> ClassDistributions:
    """Tabulate a sensitive attribute from cells: the class, the value (-1 missing) and the records of each."""
    cells = count_cells([classes, values], [n_classes, n_values], n=counts.size)
    records = np.bincount(cells.index, counts, len(cells)).astype(np.int64)
    rows, found = classes[cells.first].astype(np.int64), values[cells.first].astype(np.int64)
    order = np.argsort(rows * n_values + found)
    order = order[found[order] >= 0]
    return ClassDistributions(rows[order], found[order], records[order], n_classes=n_classes, n_values=n_values)
