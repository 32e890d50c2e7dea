"""Comma-separated values."""

from __future__ import annotations

import polars as pl

from ammg.data.microdata import Microdata
from ammg.data.schema import Schema
from ammg.errors import InputError
from ammg.io.atomic import atomic
from ammg.io.format import Format, existing
from ammg.params import param


class Csv(Format):
    """Text files with one record a line and a header."""

    suffixes = (".csv", ".tsv", ".txt")

    separator: str | None = param(None, "Character between fields; found from the header if not given.")
    missing: tuple[str, ...] = param(("", "NA"), "Texts that stand for a missing value.")

    def read(self, source: str) -> Microdata:
        """Read the file, types inferred from all records."""
        path = existing(source)
        with path.open("rb") as file:
            header = file.readline().decode("utf-8", errors="replace")
        separator = self.separator or max(",;\t|", key=header.count)
        options = {"separator": separator, "null_values": list(self.missing), "try_parse_dates": True}
        try:
            table = pl.read_csv(path, infer_schema_length=10_000, **options)  # type: ignore[arg-type]
        except pl.exceptions.ComputeError:
            try:  # a type that shows only further down
                table = pl.read_csv(path, infer_schema_length=None, **options)  # type: ignore[arg-type]
            except pl.exceptions.PolarsError as error:
                raise InputError(f"File '{source}' cannot be read as CSV: {_reason(error)}") from None
        except pl.exceptions.PolarsError as error:
            raise InputError(f"File '{source}' cannot be read as CSV: {_reason(error)}") from None
        if table.height == 0:
            raise InputError(f"File '{source}' has a header and no records.")
        _refuse_ragged(source, table, separator)
        return Microdata(table)

    def write(self, table: pl.DataFrame, schema: Schema, target: str) -> None:
        """Write with a header; text that would read as missing is quoted."""
        with atomic(target) as path:
            table.write_csv(path, separator="\t" if target.lower().endswith(".tsv") else ",")


def _refuse_ragged(source: str, table: pl.DataFrame, separator: str) -> None:
    """A short line shows as missing values at its end; only then is a second, stricter parse worth its time."""
    if table.width < 2 or not table.to_series(-1).null_count():
        return
    import pyarrow as pa
    from pyarrow import csv

    try:
        parse = csv.ParseOptions(delimiter=separator, newlines_in_values=True)
        types = csv.ConvertOptions(column_types={name: pa.string() for name in table.columns})
        with csv.open_csv(source, parse_options=parse, convert_options=types) as reader:
            for _ in reader:
                pass
    except pa.ArrowInvalid as error:
        if "Expected" in str(error) and "columns" in str(error):
            raise InputError(
                f"File '{source}' is ragged: {_reason(error)}. Every line needs the same fields."
            ) from None


def _reason(error: Exception) -> str:
    return str(error).strip().splitlines()[0].removeprefix("CSV parse error: ")
