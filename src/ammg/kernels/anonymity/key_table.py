"""The table of a key: its distinct combinations with their counts, and its margins on fewer keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.anonymity.cells import Cells, count_cells


@dataclass(frozen=True)
class KeyTable:
    """Non-empty cells of a cross-classification: the codes of each cell, one array per key, and its records.

    Margins are computed from the cells, not from the records, which makes it cheap to go through all subsets of keys.
    """

    codes: tuple[NDArray[np.int32], ...]
    sizes: tuple[int, ...]
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return self.counts.size

    def margin(self, keys: Sequence[int]) -> tuple[KeyTable, Cells]:
        """The table of some of the keys, and the cell of the margin to which each cell of this table belongs."""
        sizes = tuple(self.sizes[key] for key in keys)
        cells = count_cells([self.codes[key] for key in keys], sizes, n=len(self))
        counts = np.bincount(cells.index, weights=self.counts, minlength=len(cells)).astype(np.int64)
        return KeyTable(tuple(self.codes[key][cells.first] for key in keys), sizes, counts), cells


def key_table(codes: Sequence[NDArray[np.int32]], sizes: Sequence[int]) -> tuple[KeyTable, Cells]:
    """Tabulate records by all keys; -1 (missing) is a category of its own."""
    cells = count_cells(codes, sizes)
    return KeyTable(tuple(column[cells.first] for column in codes), tuple(sizes), cells.counts), cells
