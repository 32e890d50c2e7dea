"""Arrow IPC, which is Feather version 2."""

from __future__ import annotations

from typing import Any

import polars as pl

from ammg.data.microdata import Microdata
from ammg.data.schema import Schema
from ammg.errors import InputError
from ammg.io.atomic import atomic
from ammg.io.codebook import KEY, Codebook
from ammg.io.format import Format, existing, first_line, refuse_duplicates


class Arrow(Format):
    """Files of Arrow IPC and Feather; the codebook is in the file's own metadata."""

    suffixes = (".arrow", ".feather", ".ipc")
    holds_codebook = True

    def read(self, source: str) -> Microdata:
        """Read the whole file."""
        import pyarrow as pa

        path = existing(source)
        try:
            with pa.ipc.open_file(path) as file:
                refuse_duplicates(source, file.schema.names)
                text = (file.schema.metadata or {}).get(KEY.encode())
                table = _polars(file.read_all())
        except InputError:
            raise
        except (pa.ArrowException, OSError, ValueError, pl.exceptions.PolarsError) as error:
            raise InputError(f"File '{source}' cannot be read as Arrow IPC: {first_line(error)}.") from None
        assert isinstance(table, pl.DataFrame)
        return (Codebook.parse(text.decode(), source) if text else Codebook.beside(path)).apply(table)

    def write(self, table: pl.DataFrame, schema: Schema, target: str) -> None:
        """Write with zstd compression."""
        import pyarrow as pa

        codebook = Codebook.of(table, schema, typed=False)
        arrow = table.to_arrow().replace_schema_metadata({KEY: codebook.to_json()})
        with (
            atomic(target) as path,
            pa.ipc.new_file(path, arrow.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as file,
        ):
            file.write_table(arrow)


def _polars(table: Any) -> Any:
    """The table as polars has it, if its offsets and texts are what they must be: polars takes that for granted."""
    table.validate(full=True)
    try:
        return pl.from_arrow(table)
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise ValueError("it is damaged") from None
