"""The memory layout of the cells of a cross-classification, and the addresses of its margins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

MOST_CELLS = 50_000_000


@dataclass(frozen=True)
class Margin:
    """A margin of a layout: row r of the table starts at `bases[r]`; `step` is 1 if the margin keeps the long axis."""

    axes: tuple[int, ...]
    bases: NDArray[np.int32]
    step: int
    size: int


@dataclass(frozen=True)
class Layout:
    """All cells of a key in one vector, with the longest axis innermost: sums and products over margins run along rows.

    `shape` is the number of categories of each key, in the user's order.
    """

    shape: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.shape or min(self.shape) < 1:
            raise ValueError(f"Every key needs at least one category; the sizes are {self.shape}.")
        if prod(self.shape) > MOST_CELLS:
            raise ValueError(
                f"The keys span {prod(self.shape):,} cells, more than {MOST_CELLS:,}: "
                "recode the keys with most categories, leave a key out, or model parts of the file separately."
            )

    @property
    def size(self) -> int:
        """Number of cells, empty ones included."""
        return prod(self.shape)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The axes from outermost to innermost: the longest is innermost."""
        longest = max(range(len(self.shape)), key=lambda axis: self.shape[axis])
        return (*(axis for axis in range(len(self.shape)) if axis != longest), longest)

    @property
    def length(self) -> int:
        """Number of cells in a row."""
        return self.shape[self.order[-1]]

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """How far apart neighbours along each axis lie, in the user's order of axes."""
        strides = [0] * len(self.shape)
        step = 1
        for axis in reversed(self.order):
            strides[axis] = step
            step *= self.shape[axis]
        return tuple(strides)

    def locate(self, codes: Sequence[NDArray[np.int32]]) -> NDArray[np.int64]:
        """The cell of each record; every code must be a category (callers give missing values a category first)."""
        cells = np.zeros(codes[0].size, np.int64)
        for column, size, stride in zip(codes, self.shape, self.strides, strict=True):
            if column.size and (column.min() < 0 or column.max() >= size):
                raise ValueError("A code lies outside its key: give missing values a category of their own first.")
            cells += column.astype(np.int64) * stride
        return cells

    def coordinates(self, cells: NDArray[np.int64]) -> list[NDArray[np.int32]]:
        """The code of each key in the given cells."""
        pairs = zip(self.shape, self.strides, strict=True)
        return [(cells // stride % size).astype(np.int32) for size, stride in pairs]

    def flatten(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """A table with the user's axes as a vector of this layout."""
        return np.ascontiguousarray(np.transpose(table, self.order), np.float64).ravel()

    def unflatten(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """A vector of this layout as a table with the user's axes."""
        inverse = np.argsort(self.order)
        return values.reshape([self.shape[axis] for axis in self.order]).transpose(inverse)

    def margin(self, axes: Sequence[int]) -> Margin:
        """Address the margin over some axes; its cells lie in the order of this layout."""
        kept = [axis for axis in self.order if axis in axes]
        last = self.order[-1]
        strides = {}
        step = 1
        for axis in reversed(kept):
            strides[axis] = step
            step *= self.shape[axis]
        bases = np.zeros([self.shape[axis] for axis in self.order[:-1]], np.int64)
        for place, axis in enumerate(self.order[:-1]):
            if axis in strides:
                along = [1] * (len(self.order) - 1)
                along[place] = -1
                bases += (np.arange(self.shape[axis]) * strides[axis]).reshape(along)
        return Margin(tuple(sorted(axes)), bases.ravel().astype(np.int32), int(last in strides), step)
