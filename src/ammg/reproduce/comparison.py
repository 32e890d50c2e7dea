"""A published table beside the same table made anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Comparison:
    """Rows of a published table with what this package computes for them.

    `doubtful` names the printed cells, by row and column, that are known to be wrong; `notes` say why.
    """

    title: str
    columns: tuple[str, ...]
    ours: Mapping[str, Mapping[str, float]]
    printed: Mapping[str, Mapping[str, float]]
    doubtful: frozenset[tuple[str, str]] = frozenset()
    notes: tuple[str, ...] = ()
    decimals: int = 3

    def cells(self) -> list[tuple[str, str, float | None, float]]:
        """Row, column, printed value (None where nothing is printed) and ours."""
        return [
            (row, column, self.printed.get(row, {}).get(column), values[column])
            for row, values in self.ours.items()
            for column in self.columns
        ]
