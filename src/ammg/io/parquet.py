"""Parquet, read whole or streamed."""

from __future__ import annotations

import polars as pl

from ammg.data.microdata import Microdata
from ammg.data.parquet_table import ParquetTable
from ammg.data.schema import Schema
from ammg.errors import InputError
from ammg.io.atomic import atomic
from ammg.io.format import Format, existing
from ammg.params import param


class Parquet(Format):
    """Columnar files of Apache Parquet."""

    suffixes = (".parquet", ".pq")

    stream: bool = param(False, "Leave the records in the file and mask them chunk by chunk.")

    def read(self, source: str) -> Microdata:
        """Read the file, or open it for streaming."""
        path = existing(source)
        try:
            if self.stream:
                table = ParquetTable(path)
                _ = table.height, table.schema
                return Microdata(table)
            return Microdata(pl.read_parquet(path))
        except (pl.exceptions.ComputeError, OSError, ValueError) as error:
            raise InputError(f"File '{source}' cannot be read as Parquet: {_first_line(error)}") from None

    def write(self, table: pl.DataFrame, schema: Schema, target: str) -> None:
        """Write with zstd compression."""
        with atomic(target) as path:
            table.write_parquet(path)


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0]
