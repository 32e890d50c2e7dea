"""Cells of a key that do not fit into memory: on disk, partitioned by a hash of their values and counted by part."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ammg.summaries.cells import CellCounts, CellValues, grouped

Codes = NDArray[np.int32]
Rows = NDArray[np.void]

MOST_IN_MEMORY = 1 << 19
"""Number of cells from which they are written to disk."""
_PARTS = 64
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


class SpilledCells:
    """Cells without missing values in a temporary folder; the others match cells of all parts and stay in memory."""

    def __init__(self, counts: CellCounts) -> None:
        self.counts = counts
        self.incomplete: tuple[CellValues, ...] = ()
        self._waiting: list[CellValues] = []
        self._folder = Path(tempfile.mkdtemp(prefix="ammg-cells-"))
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._type: np.dtype[Any] | None = None

    def add(self, parts: tuple[CellValues, ...]) -> None:
        """Add cells in the order of the records, which is the order in which weights are summed."""
        for cells in parts:
            whole: NDArray[np.bool_] = np.asarray((cells.codes >= 0).all(axis=1))
            if not whole.all():
                rest = (_taken(cells, ~whole),)
                self.incomplete = self.counts.merge(self.incomplete, rest) if self.incomplete else rest
            self._waiting.append(_taken(cells, whole))
        if sum(map(len, self._waiting)) >= MOST_IN_MEMORY:
            self._write()

    def parts(self) -> Iterator[CellValues]:
        """The cells without missing values; each belongs to one part."""
        self._write()
        for number in range(_PARTS):
            path = self._path(number)
            if path.exists():
                assert self._type is not None
                yield _read(np.fromfile(path, self._type), len(self.counts.keys))

    def _write(self) -> None:
        for cells in self._waiting:
            rows, part = _rows(cells)
            if self._type is None:
                self._type = rows.dtype
            order = np.argsort(part, kind="stable")
            rows, ends = rows[order], np.searchsorted(part[order], np.arange(_PARTS + 1))
            for number in np.flatnonzero(np.diff(ends)).tolist():
                with self._path(number).open("ab") as file:
                    file.write(rows[ends[number] : ends[number + 1]].tobytes())
        self._waiting = []

    def _path(self, number: int) -> Path:
        return self._folder / f"part-{number}"


def _taken(cells: CellValues, which: NDArray[np.bool_]) -> CellValues:
    weights = None if cells.weights is None else cells.weights[which]
    return CellValues(cells.codes[which], cells.counts[which], weights, cells.numbers)


def _rows(cells: CellValues) -> tuple[Rows, NDArray[np.int64]]:
    """Cells as values that mean the same in every chunk, and the part to which each belongs."""
    fields = [(f"k{j}", "<f8" if known is not None else "<i4") for j, known in enumerate(cells.numbers)]
    rows = np.empty(len(cells), np.dtype([*fields, ("count", "<i8"), *([("weight", "<f8")] if _weighs(cells) else [])]))
    part = np.zeros(len(cells), np.uint64)
    for j, known in enumerate(cells.numbers):
        column = cells.codes[:, j]
        rows[f"k{j}"] = column if known is None else known[column]
        bits = column.astype(np.uint64) if known is None else known[column].view(np.uint64)
        part = _mixed(part ^ bits)
    rows["count"] = cells.counts
    if cells.weights is not None:
        rows["weight"] = cells.weights
    return rows, (part % np.uint64(_PARTS)).astype(np.int64)


def _weighs(cells: CellValues) -> bool:
    return cells.weights is not None


def _mixed(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Every bit of the input reaches every bit of the output (Steele, Lea and Flood 2014, splitmix64)."""
    bits = bits + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * _MIX_1
    bits = (bits ^ (bits >> np.uint64(27))) * _MIX_2
    return np.asarray(bits ^ (bits >> np.uint64(31)))


def _read(rows: Rows, width: int) -> CellValues:
    codes = np.empty((len(rows), width), np.int32)
    numbers: list[NDArray[np.float64] | None] = []
    for j in range(width):
        column = rows[f"k{j}"]
        if column.dtype == np.float64:
            known, codes[:, j] = np.unique(column, return_inverse=True)
            numbers.append(known)
        else:
            codes[:, j] = column
            numbers.append(None)
    assert rows.dtype.names is not None
    weights = np.ascontiguousarray(rows["weight"]) if "weight" in rows.dtype.names else None
    return grouped(codes, np.ascontiguousarray(rows["count"]), weights, tuple(numbers))
