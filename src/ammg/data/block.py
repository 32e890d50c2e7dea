"""A block: records as numpy columns, the only form in which methods and summaries see data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ammg.data.finding import NOTHING_FOUND, Finding, Findings
from ammg.data.schema import Schema

Column = NDArray[np.float64] | NDArray[np.int32]


@dataclass(frozen=True)
class Block:
    """Record ids and the columns a unit asked for.

    Numbers are float64 with NaN for missing, categories int32 codes with -1 for missing. A method returns a block
    with other columns, fewer ids or more ids, in the same order; it never writes into the arrays it was given.
    `moves` gives, for columns whose values changed places, the position in the block from which each value came, so
    that linked attributes can move along. `findings` are facts that a method learned while it masked the block.
    """

    ids: NDArray[np.int64]
    columns: Mapping[str, Column]
    schema: Schema
    moves: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)
    findings: Findings = NOTHING_FOUND

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    def numbers(self, name: str) -> NDArray[np.float64]:
        """A column as float64; the codes of a category count as numbers, missing is NaN."""
        values = self.columns[name]
        if values.dtype == np.float64:
            return values  # type: ignore[return-value]
        return np.where(values < 0, np.nan, values.astype(np.float64))

    def matrix(self, names: Iterable[str]) -> NDArray[np.float64]:
        """Columns side by side as float64, one contiguous column after the other."""
        columns = [self.numbers(name) for name in names]
        out = np.empty((len(self), len(columns)), order="F")
        for position, column in enumerate(columns):
            out[:, position] = column
        return out

    def with_columns(self, columns: Mapping[str, Column], schema: Schema | None = None) -> Block:
        """The same records with some columns replaced."""
        return replace(self, columns={**self.columns, **columns}, schema=schema or self.schema)

    def with_findings(self, *found: Finding) -> Block:
        """The same records with these findings added."""
        return replace(self, findings=Findings.of((*self.findings.found, *found)))

    def take(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> Block:
        """Some of the records, by mask or by ascending positions."""
        columns = {name: values[chosen] for name, values in self.columns.items()}
        return replace(self, ids=self.ids[chosen], columns=columns)

    def part(self, start: int, stop: int) -> Block:
        """The records from one position up to another, without copying them."""
        columns = {name: values[start:stop] for name, values in self.columns.items()}
        return replace(self, ids=self.ids[start:stop], columns=columns)

    def is_missing(self, name: str) -> NDArray[np.bool_]:
        """Which records have no value in a column."""
        values = self.columns[name]
        return np.isnan(values) if values.dtype == np.float64 else values < 0
