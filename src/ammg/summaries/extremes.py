"""Smallest and largest values, and how many there are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ammg.data.block import Block
from ammg.summaries.summary import Summary


@dataclass(frozen=True, eq=False)
class ExtremeValues:
    """One entry per column; NaN where nothing is observed."""

    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]

    def of(self, position: int) -> ExtremeValues:
        """The extremes of one column."""
        return ExtremeValues(self.lowest[position : position + 1], self.highest[position : position + 1])


class Extremes(Summary[ExtremeValues, ExtremeValues]):
    """Minimum and maximum of columns."""

    def __init__(self, columns: tuple[str, ...]) -> None:
        self.columns = columns

    def add(self, block: Block) -> ExtremeValues:
        """Extremes of a chunk."""
        low, high = (np.full(len(self.columns), np.nan) for _ in range(2))
        for position, name in enumerate(self.columns):
            values = block.numbers(name)
            if len(values):
                low[position] = np.fmin.reduce(values)
                high[position] = np.fmax.reduce(values)
        return ExtremeValues(low, high)

    def merge(self, left: ExtremeValues, right: ExtremeValues) -> ExtremeValues:
        """The more extreme of the two."""
        return ExtremeValues(np.fmin(left.lowest, right.lowest), np.fmax(left.highest, right.highest))

    def finish(self, state: ExtremeValues | None) -> ExtremeValues:
        """The extremes themselves."""
        nothing = np.full(len(self.columns), np.nan)
        return state or ExtremeValues(nothing, nothing)
