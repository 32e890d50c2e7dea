"""Masked records with the codes of values that were missing before masking."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import polars as pl

from ammg.data.encoding import ID
from ammg.data.missing_codes import is_coded, put_back, with_codes, with_codes_described
from ammg.data.parquet_table import ParquetTable
from ammg.data.records import Compare, Out, Records


class CodedRecords(Records):
    """Masked records in memory, with the codes of values that were missing before masking put back."""

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
        """The first records, as masked."""
        return self._masked.head(rows)

    def chunks(self, columns: list[str] | None = None) -> Iterator[pl.DataFrame]:
        """All records at once."""
        return iter([self._frame])

    def beside(self, columns: Sequence[str], compare: Compare[Out]) -> Iterator[Out]:
        """Compare the masked records before their codes are put back."""
        return self._masked.beside(columns, compare)


class CodedStream(Records):
    """Masked records of a streamed file, with the codes of values that were missing before masking put back."""

    def __init__(self, masked: Records, file: ParquetTable) -> None:
        self._masked, self._file = masked, file
        columns = [name for name in file.codes if name in masked.schema.names]
        suppressed = set().union(*masked.beside(columns, partial(_made_missing, columns)))
        carried = {name: _carried(file, name) for name in columns if name not in suppressed}
        head = masked.head(0)
        put = {name: with_codes(head[name], codes.clear(), codes) for name, codes in carried.items()}
        types = {name: values.dtype for name, values in put.items() if values is not None}
        self._carried = {name: carried[name] for name in types}
        self.schema = masked.schema.replace(
            *(with_codes_described(masked.schema[name], dtype, carried[name]) for name, dtype in types.items())
        )

    @property
    def in_memory(self) -> bool:
        """False: the records are streamed."""
        return self._masked.in_memory

    def count(self) -> int:
        """The number of records."""
        return self._masked.count()

    def collect(self) -> pl.DataFrame:
        """All records with their ids."""
        frames = list(self.chunks())
        return pl.concat(frames) if frames else self._masked.collect()

    def head(self, rows: int) -> pl.DataFrame:
        """The first records, as masked, before their codes are put back."""
        return self._masked.head(rows)

    def chunks(self, columns: list[str] | None = None) -> Iterator[pl.DataFrame]:
        """Records with their ids, codes put back from the file."""
        wanted = [name for name in self._carried if columns is None or name in columns]
        if not wanted:
            yield from self._masked.chunks(columns)
            return
        rows = self._file.raw.chunks(wanted)
        held = next(rows)
        for frame in self._masked.chunks(columns):
            parts = [held]
            while held[ID][-1] < frame[ID].max() and (after := next(rows, None)) is not None:
                parts.append(held := after)
            raw = frame.select(ID).join(pl.concat(parts), on=ID, how="left", maintain_order="left")
            yield frame.with_columns(self._put_back(frame[name], raw[name]).alias(name) for name in wanted)

    def _put_back(self, values: pl.Series, raw: pl.Series) -> pl.Series:
        missing = values.is_null() & is_coded(raw, self._file.codes[values.name])
        coded = with_codes(values, raw.set(~missing, None), self._carried[values.name])
        assert coded is not None
        return coded

    def beside(self, columns: Sequence[str], compare: Compare[Out]) -> Iterator[Out]:
        """Compare the masked records before their codes are put back."""
        return self._masked.beside(columns, compare)


def _made_missing(columns: Sequence[str], original: pl.DataFrame, masked: pl.DataFrame) -> set[str]:
    """Columns in which masking made values missing: codes there would reveal which values were suppressed."""
    return {name for name in columns if (masked[name].is_null() & original[name].is_not_null()).any()}


def _carried(file: ParquetTable, name: str) -> pl.Series:
    """The missing-value codes that occur in a column."""
    values = file.raw.distinct(name)
    return values.filter(is_coded(values, file.codes[name]))
