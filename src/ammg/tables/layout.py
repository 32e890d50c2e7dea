"""The layout of a table: its row and column attributes, and the labels of its lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.errors import InputError, did_you_mean

TOTAL = "Total"
MISSING = "missing"


@dataclass(frozen=True)
class Layout:
    """The attributes of a table, rows first, each with the labels of its categories; the margin comes last."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    labels: Mapping[str, tuple[str, ...]]

    @property
    def names(self) -> tuple[str, ...]:
        """All attributes, those of the rows first."""
        return (*self.rows, *self.columns)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of lines along each attribute, including its margin."""
        return tuple(len(self.labels[name]) + 1 for name in self.names)

    @property
    def cells(self) -> int:
        """Number of cells, margins included."""
        return prod(self.shape)

    def lines(self, name: str) -> tuple[str, ...]:
        """The labels along an attribute, its margin last."""
        labels = self.labels[name]
        return (*labels, unused(TOTAL, labels))

    def frame(self) -> pl.DataFrame:
        """One row per cell, margins last along every attribute: the labels of each cell."""
        places = np.indices(self.shape).reshape(len(self.shape), -1)
        return pl.DataFrame(
            [
                pl.Series(name, self.lines(name), dtype=pl.Enum(self.lines(name))).gather(places[axis])
                for axis, name in enumerate(self.names)
            ]
        )

    def is_inner(self) -> NDArray[np.bool_]:
        """Which cells are not margins, in the shape of the table."""
        inner = np.zeros(self.shape, dtype=bool)
        inner[tuple(slice(0, -1) for _ in self.shape)] = True
        return inner

    def axis(self, name: str) -> int:
        """The axis of an attribute."""
        if name not in self.names:
            raise InputError(f"The table has no margin of '{name}'.{did_you_mean(name, self.names)}")
        return self.names.index(name)


def unused(label: str, taken: tuple[str, ...]) -> str:
    """A label that differs from those of all categories."""
    while label in taken:
        label = f"({label})"
    return label
