"""The combinations of values that occur, and how often: the cells of a key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ammg.data.block import Block
from ammg.summaries.summary import Summary

Codes = NDArray[np.int32]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CellValues:
    """One row of `codes`, and one entry of the other arrays, per occurring combination, in lexicographic order."""

    codes: Codes
    """Cells × columns; -1 for missing."""
    counts: NDArray[np.int64]
    """Records per cell."""
    weights: Floats | None
    """Sum of the weights per cell; None without a weight."""
    numbers: tuple[Floats | None, ...]
    """The meaning of each column's codes: distinct numbers in ascending order, None for a categorical column."""

    def __len__(self) -> int:
        return len(self.counts)


class CellCounts(Summary[tuple[CellValues, ...], CellValues]):
    """Counts of the combinations of some columns; also sums of weights if a weight is named.

    Categories keep the codes of their dictionary; numbers get codes in ascending order.
    """

    def __init__(self, columns: tuple[str, ...], weight: str | None = None) -> None:
        self.keys, self.weight = columns, weight
        self.columns = tuple(dict.fromkeys((*columns, *([weight] if weight else []))))

    def add(self, block: Block) -> tuple[CellValues, ...]:
        """The cells of a chunk."""
        columns = [_coded(block, name) for name in self.keys]
        weights = block.numbers(self.weight) if self.weight else None
        codes, numbers = [column for column, _ in columns], tuple(numbers for _, numbers in columns)
        return (_grouped(codes, len(block), None, weights, numbers),)

    def merge(self, left: tuple[CellValues, ...], right: tuple[CellValues, ...]) -> tuple[CellValues, ...]:
        """Keep parts separate until the later ones are as large as the first, so that many chunks merge fast."""
        parts = left + right
        return (together(parts),) if sum(map(len, parts[1:])) >= len(parts[0]) else parts

    def finish(self, state: tuple[CellValues, ...] | None) -> CellValues:
        """All cells."""
        if state is not None:
            return together(state)
        nothing = np.zeros(0) if self.weight else None
        return CellValues(
            np.zeros((0, len(self.keys)), np.int32), np.zeros(0, np.int64), nothing, (None,) * len(self.keys)
        )


def _coded(block: Block, name: str) -> tuple[Codes, Floats | None]:
    values = block[name]
    if values.dtype != np.float64:
        return values.astype(np.int32, copy=False), None
    missing = np.isnan(values)
    numbers, place = np.unique(values[~missing] + 0.0, return_inverse=True)  # -0.0 becomes 0.0
    codes = np.full(len(values), -1, dtype=np.int32)
    codes[~missing] = place
    return codes, numbers


def together(parts: tuple[CellValues, ...]) -> CellValues:
    """Combine parts; weights are added from the left, so that the number of merges makes no difference."""
    if len(parts) == 1:
        return parts[0]
    codes = np.concatenate([part.codes for part in parts])
    numbers: list[Floats | None] = []
    for position in range(codes.shape[1]):
        own = [part.numbers[position] for part in parts]
        known = [values for values in own if values is not None]
        if not known:
            numbers.append(None)
            continue
        union = np.unique(np.concatenate(known))
        numbers.append(union)
        # Code -1 finds the last entry: a missing value stays missing.
        places = [np.append(np.searchsorted(union, values), -1).astype(np.int32) for values in known]
        codes[:, position] = np.concatenate(
            [place[part.codes[:, position]] for place, part in zip(places, parts, strict=True)]
        )
    counts = np.concatenate([part.counts for part in parts])
    sums = [part.weights for part in parts if part.weights is not None]
    return grouped(codes, counts, np.concatenate(sums) if sums else None, tuple(numbers))


def grouped(
    codes: Codes, counts: NDArray[np.int64], weights: Floats | None, numbers: tuple[Floats | None, ...]
) -> CellValues:
    """Cells from rows of codes, which may repeat."""
    return _grouped([np.ascontiguousarray(column) for column in codes.T], len(codes), counts, weights, numbers)


def _grouped(
    codes: Sequence[Codes],
    rows: int,
    counts: NDArray[np.int64] | None,
    weights: Floats | None,
    numbers: tuple[Floats | None, ...],
) -> CellValues:
    """Cells from columns of codes; a row without a count is one record."""
    from ammg.kernels.anonymity.cells import group_keys, ordered_keys

    keys, bound = ordered_keys(codes, rows)
    cells = group_keys(keys, bound)  # numbers equal keys without sorting; only the distinct ones are sorted
    order = np.argsort(keys[cells.first])
    first = cells.first[order]
    totals = cells.counts if counts is None else np.bincount(cells.index, counts, len(order)).astype(np.int64)
    sums = None if weights is None else cells.sums(weights)[order]
    distinct = np.empty((len(order), len(codes)), dtype=np.int32)
    for position, column in enumerate(codes):
        distinct[:, position] = column[first]
    return CellValues(distinct, totals[order], sums, numbers)
