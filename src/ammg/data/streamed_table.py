"""A table that is not in memory: its rows stay in a file or on a cluster."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

import polars as pl

Out = TypeVar("Out")


class StreamedTable(ABC):
    """Rows that are read in chunks of consecutive record ids; engines may read some tables in better ways."""

    remote: ClassVar[bool] = False
    """Whether only an engine can read the rows, because they are outside this process."""

    @property
    @abstractmethod
    def schema(self) -> pl.Schema:
        """Column names and types."""

    @property
    @abstractmethod
    def height(self) -> int:
        """The number of records."""

    @abstractmethod
    def chunks(self, columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """Frames of 65,536 records (the last is shorter), each with its record ids."""

    def each(self, columns: Sequence[str], work: Callable[[pl.DataFrame], Out]) -> Iterator[Out]:
        """Results of `work` on some columns of each chunk, in the order of the chunks, computed where the rows are."""
        return map(work, self.chunks(columns))

    @abstractmethod
    def read(self, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Some or all columns as one frame in memory."""

    @abstractmethod
    def head(self, rows: int) -> pl.DataFrame:
        """The first records, without their ids."""

    @abstractmethod
    def without_codes(self, codes: Mapping[str, tuple[Any, ...]]) -> StreamedTable:
        """The same rows with the declared codes of some columns set to missing."""

    @abstractmethod
    def distinct(self, column: str) -> pl.Series:
        """The values that occur in a column, each once, in any order."""
