"""The cells of a coarser recoding from those of a finer one, without the records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CellTable:
    """Distinct combinations of keys and sensitive values: one code array per column, and the records of each."""

    keys: tuple[Codes, ...]
    sensitive: tuple[Codes, ...]
    counts: Ints
    weights: Floats | None = None

    def __len__(self) -> int:
        return self.counts.size


def roll_up(table: CellTable, coarser: Mapping[int, Codes], sizes: Sequence[int]) -> CellTable:
    """The table after some keys were recoded.

    Args:
        table: Cells of a finer recoding.
        coarser: For each key that changes, the new code of each old one; the last entry is the new code of -1.
        sizes: Number of categories of each column afterwards, keys first.
    """
    from ammg.kernels.anonymity.cells import count_cells

    keys = [coarser[place][column] if place in coarser else column for place, column in enumerate(table.keys)]
    columns = [*keys, *table.sensitive]
    cells = count_cells(columns, sizes, n=len(table))
    counts = np.bincount(cells.index, table.counts, len(cells)).astype(np.int64)
    weights = None if table.weights is None else np.bincount(cells.index, table.weights, len(cells)).astype(np.float64)
    picked = [column[cells.first] for column in columns]
    return CellTable(tuple(picked[: len(keys)]), tuple(picked[len(keys) :]), counts, weights)
