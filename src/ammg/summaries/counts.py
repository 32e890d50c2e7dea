"""Frequencies of categories, counted or weighted, with missing values separate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ammg.data.block import Block
from ammg.summaries.summary import Summary


@dataclass(frozen=True, eq=False)
class CountValues:
    """Entry i belongs to category i."""

    counts: NDArray[np.float64]
    missing: float


class Counts(Summary[CountValues, CountValues]):
    """Counts of one categorical column; sums of weights if a weight is named."""

    def __init__(self, column: str, size: int, weight: str | None = None) -> None:
        self.column, self.size, self.weight = column, size, weight
        self.columns = (column, weight) if weight else (column,)

    def add(self, block: Block) -> CountValues:
        """Counts of a chunk."""
        codes = block[self.column].astype(np.int64) + 1
        weights = block.numbers(self.weight) if self.weight else None
        totals = np.bincount(codes, weights=weights, minlength=self.size + 1).astype(np.float64)
        return CountValues(totals[1:], float(totals[0]))

    def merge(self, left: CountValues, right: CountValues) -> CountValues:
        """Counts add."""
        return CountValues(left.counts + right.counts, left.missing + right.missing)

    def finish(self, state: CountValues | None) -> CountValues:
        """The counts themselves."""
        return state or CountValues(np.zeros(self.size), 0.0)


class MissingCounts(Summary[NDArray[np.int64], NDArray[np.int64]]):
    """Number of missing values of each column."""

    def __init__(self, columns: tuple[str, ...]) -> None:
        self.columns = columns

    def add(self, block: Block) -> NDArray[np.int64]:
        """Missing values of a chunk."""
        return np.array([np.count_nonzero(block.is_missing(name)) for name in self.columns], dtype=np.int64)

    def merge(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
        """Counts add."""
        return left + right

    def finish(self, state: NDArray[np.int64] | None) -> NDArray[np.int64]:
        """One count per column."""
        return np.zeros(len(self.columns), dtype=np.int64) if state is None else state


class MissingPatterns(Summary[dict[tuple[bool, ...], int], dict[tuple[bool, ...], int]]):
    """Number of records with each pattern of observed (True) and missing values."""

    def __init__(self, columns: tuple[str, ...]) -> None:
        self.columns = columns

    def add(self, block: Block) -> dict[tuple[bool, ...], int]:
        """Patterns of a chunk."""
        seen = np.column_stack([~block.is_missing(name) for name in self.columns])
        patterns, counts = np.unique(seen, axis=0, return_counts=True)
        return {tuple(map(bool, pattern)): int(count) for pattern, count in zip(patterns, counts, strict=True)}

    def merge(
        self, left: dict[tuple[bool, ...], int], right: dict[tuple[bool, ...], int]
    ) -> dict[tuple[bool, ...], int]:
        """Counts add."""
        return {pattern: left.get(pattern, 0) + right.get(pattern, 0) for pattern in (left | right)}

    def finish(self, state: dict[tuple[bool, ...], int] | None) -> dict[tuple[bool, ...], int]:
        """The counts themselves."""
        return state or {}


class NonzeroCounts(Summary[NDArray[np.float64], tuple[NDArray[np.float64], NDArray[np.float64]]]):
    """Number of observed and of nonzero values of each column; sums of weights if a weight is named."""

    def __init__(self, columns: tuple[str, ...], weight: str | None = None) -> None:
        self.variables, self.weight = columns, weight
        self.columns = (*columns, weight) if weight else columns

    def add(self, block: Block) -> NDArray[np.float64]:
        """Counts of a chunk."""
        weights = block.numbers(self.weight) if self.weight else np.ones(len(block))
        values = [block.numbers(name) for name in self.variables]
        observed = [float(weights[~np.isnan(column)].sum()) for column in values]
        zero = [float(weights[column == 0].sum()) for column in values]
        return np.array([observed, zero])

    def merge(self, left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
        """Counts add."""
        return left + right

    def finish(self, state: NDArray[np.float64] | None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Observed values, and those that are not zero."""
        counts = np.zeros((2, len(self.variables))) if state is None else state
        return counts[0], counts[0] - counts[1]
