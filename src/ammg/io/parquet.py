"""Parquet, read whole or streamed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import ClassVar

import polars as pl

from ammg.data.microdata import Microdata
from ammg.data.parquet_table import ParquetTable
from ammg.data.schema import Schema
from ammg.draws import CHUNK
from ammg.errors import InputError
from ammg.io.atomic import atomic, expanded
from ammg.io.codebook import KEY, Codebook
from ammg.io.format import Format, existing, first_line
from ammg.params import param


class Parquet(Format):
    """Columnar files of Apache Parquet; the codebook is in the file's own metadata."""

    suffixes = (".parquet", ".pq")
    holds_codebook = True
    streams: ClassVar[bool] = True

    stream: bool = param(False, "Stream the file: mask it chunk by chunk instead of loading it.")

    def read(self, source: str) -> Microdata:
        """Read the file (or a folder of files, such as Spark writes), or open it for streaming."""
        path = expanded(source)
        table = ParquetTable(path if path.is_dir() else existing(source))
        try:
            _ = table.height
            codebook = _codebook(table.files[0], source)
            if self.stream:
                return Microdata(table, codebook.schema(table.schema))
            return codebook.apply(table.read())
        except (pl.exceptions.PolarsError, OSError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"File '{source}' cannot be read as Parquet: {first_line(error)}.") from None

    def write(self, table: pl.DataFrame, schema: Schema, target: str) -> None:
        """Write with zstd compression."""
        codebook = Codebook.of(table, schema, typed=False)
        with atomic(target) as path:
            table.write_parquet(path, metadata={KEY: codebook.to_json()})

    def write_frames(self, frames: Iterator[pl.DataFrame], schema: Schema, target: str) -> None:
        """Write with zstd compression, each frame as it comes."""
        from pyarrow.parquet import ParquetWriter

        first = next(frames)
        codebook = Codebook.of(first, schema, typed=False)
        types = first.clear().to_arrow(compat_level=pl.CompatLevel.oldest()).schema
        types = types.with_metadata({KEY: codebook.to_json()})
        with atomic(target) as path, ParquetWriter(path, types, compression="zstd") as writer:
            for frame in chain([first], frames):
                writer.write_table(frame.to_arrow(compat_level=pl.CompatLevel.oldest()).cast(types), CHUNK)


def _codebook(file: Path, source: str) -> Codebook:
    text = pl.read_parquet_metadata(file).get(KEY)
    return Codebook.parse(text, source) if text else Codebook.beside(source)
