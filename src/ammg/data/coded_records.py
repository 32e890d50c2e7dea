"""Masked records in memory with the codes of values that were missing before masking."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from ammg.data.missing_codes import put_back
from ammg.data.records import Compare, Out, Records


class CodedRecords(Records):
    """What leaves: the masked records, and why values that nobody gave are missing."""

    def __init__(self, masked: Records, original: pl.DataFrame, codes: pl.DataFrame) -> None:
        self._masked = masked
        self._frame, self.schema = put_back(masked.collect(), masked.schema, original, codes)

    @property
    def in_memory(self) -> bool:
        """They are."""
        return True

    def count(self) -> int:
        """The number of records."""
        return len(self._frame)

    def collect(self) -> pl.DataFrame:
        """All records with their ids."""
        return self._frame

    def head(self, rows: int) -> pl.DataFrame:
        """What became of the first records."""
        return self._masked.head(rows)

    def chunks(self, columns: list[str] | None = None) -> Iterator[pl.DataFrame]:
        """All records at once."""
        return iter([self._frame])

    def beside(self, columns: Sequence[str], compare: Compare[Out]) -> Iterator[Out]:
        """As masked, before the codes are back."""
        return self._masked.beside(columns, compare)
