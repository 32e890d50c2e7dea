"""The distinct numbers of a column."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.data.block import Block
from ammg.summaries.summary import Summary

Numbers = NDArray[np.float64]


class DistinctNumbers(Summary[Numbers, Numbers]):
    """All distinct values of a column in ascending order, without missing ones."""

    def __init__(self, column: str) -> None:
        self.columns = (column,)

    def add(self, block: Block) -> Numbers:
        """The distinct values of a chunk."""
        values = block.numbers(self.columns[0])
        return np.unique(values[~np.isnan(values)])

    def merge(self, left: Numbers, right: Numbers) -> Numbers:
        """The union of both."""
        return np.union1d(left, right)

    def finish(self, state: Numbers | None) -> Numbers:
        """The values themselves."""
        return np.zeros(0) if state is None else state
