"""Comma-separated values."""

from __future__ import annotations

import codecs
import io
import re
import warnings
from functools import partial
from pathlib import Path
from typing import Any, Literal

import polars as pl
from pydantic import field_validator

from ammg.data.microdata import Microdata
from ammg.data.schema import Schema
from ammg.errors import DataWarning, InputError
from ammg.io.codebook import Codebook, with_codebook
from ammg.io.format import Format, existing, first_line, refuse_duplicates
from ammg.io.inference import inferred
from ammg.io.types import MOMENT, flattened
from ammg.kernels.threads import in_threads
from ammg.params import param
from ammg.progress import part, ticking

_ROWS = 2**18  # records written between two ticks
FIELD_LIMIT = 64 * 2**20
"""Longest record in bytes; a longer one is nearly always a quote that is never closed."""


class Csv(Format):
    """Text files with a header and one record per line.

    A quoted empty field is an empty text, an unquoted one is missing. The codebook beside the file, if there is one,
    gives types and labels; without it, types are inferred from all records, and a column stays text if a conversion
    could lose anything.
    """

    suffixes = (".csv", ".tsv", ".tab", ".txt")

    separator: str | None = param(None, "Character between fields; detected from the header by default.")
    encoding: str | None = param(None, "Encoding of the file; UTF-8, UTF-16 and Windows-1252 are detected by default.")
    decimal: Literal[".", ","] | None = param(None, "Decimal mark, '.' or ','; detected by default.")
    quote: str | None = param('"', "Character around fields that hold separators; none if null.")
    missing: tuple[str, ...] | None = param(
        None, "Unquoted texts that stand for a missing value; by default empty and NA, or as the codebook says."
    )

    @field_validator("separator", "quote")
    @classmethod
    def _is_one_character(cls, value: str | None) -> str | None:
        if value is not None and (len(value) != 1 or not value.isascii() or value in "\r\n"):
            raise ValueError("it is one character of ASCII and no line break, such as ';'")
        return value

    def read(self, source: str) -> Microdata:
        """Read the file, types from its codebook or inferred from all records."""
        path = existing(source)
        codebook = Codebook.beside(path)
        encoding = found_encoding(path, self.encoding)
        missing = self.missing if self.missing is not None else codebook.file.get("missing", ("", "NA"))
        try:
            separator = self.separator or codebook.file.get("separator") or _found_separator(path, encoding, self.quote)
            table = self._texts(path, source, separator, encoding, list(missing))
        except UnicodeError:
            raise InputError(
                f"File '{source}' is not {encoding}: give its encoding, such as encoding='latin-1'."
            ) from None
        if table.height == 0:
            raise InputError(f"File '{source}' has a header but no records.")
        if self.quote is not None and _ends_within_quotes(table, path, self.quote.encode()):
            raise InputError(
                f"The last record of '{source}' has an opening quote without a closing one: correct the file."
            )
        described = codebook.dtypes()
        # A comma between fields cannot be a decimal mark too, unless fields are quoted and somebody says so.
        decimal = self.decimal or ("." if separator == "," else None)
        unknown = [column for column in table if column.name not in described]
        with part(0, 1, "reading"):
            columns = in_threads(partial(inferred, decimal=decimal), unknown, len(table) * len(unknown), brief=False)
        return codebook.apply(table.with_columns(columns))

    def write(self, table: pl.DataFrame, schema: Schema, target: str) -> None:
        """Write UTF-8 with texts quoted, and the codebook beside it."""
        separator = self.separator or ("\t" if target.lower().endswith((".tsv", ".tab")) else ",")
        warn_of_formulas(table.columns, target)
        codebook = Codebook.of(table, schema, separator=separator, encoding="utf-8", missing=[""])
        with with_codebook(target, codebook) as path:
            plain = as_text(flattened(table))
            with path.open("wb") as file:
                plain.clear().write_csv(file, separator=separator, quote_style="non_numeric")
                for part in ticking(plain.iter_slices(_ROWS), len(plain), "writing"):
                    part.write_csv(file, separator=separator, quote_style="non_numeric", include_header=False)

    def _texts(self, path: Path, source: str, separator: str, encoding: str, missing: list[str]) -> pl.DataFrame:
        """All columns as text, by pyarrow: it tells quoted from unquoted fields and refuses ragged lines."""
        import pyarrow as pa
        from pyarrow import csv

        names = self._names(path, source, separator, encoding)
        limit = {"block_size": FIELD_LIMIT, "column_names": names, "skip_rows_after_names": 1}
        parse = csv.ParseOptions(
            delimiter=separator,
            quote_char=self.quote or False,
            newlines_in_values=self.quote is not None,
            ignore_empty_lines=len(names) > 1,
        )
        convert = csv.ConvertOptions(
            column_types={name: pa.large_string() for name in names},
            null_values=missing,
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        )

        def texts(threads: bool) -> pl.DataFrame:
            read = csv.ReadOptions(encoding=encoding, use_threads=threads, **limit)
            frame = pl.from_arrow(csv.read_csv(path, read_options=read, parse_options=parse, convert_options=convert))
            assert isinstance(frame, pl.DataFrame)
            return frame

        try:
            return texts(threads=True)
        except pa.ArrowInvalid:
            try:
                return texts(threads=False)  # which knows the number of the row
            except pa.ArrowInvalid as error:
                raise InputError(_explained(path, source, error, encoding)) from None

    def _names(self, path: Path, source: str, separator: str, encoding: str) -> list[str]:
        import csv

        with path.open(encoding=encoding, newline="") as file:
            quoting: dict[str, Any] = {"quoting": csv.QUOTE_NONE} if self.quote is None else {"quotechar": self.quote}
            try:
                names = next(csv.reader(file, delimiter=separator, **quoting))
            except csv.Error as error:
                raise InputError(f"The header of '{source}' cannot be read: {first_line(error)}.") from None
        if not names:
            raise InputError(f"File '{source}' starts with an empty line, but its first line must name the columns.")
        refuse_duplicates(source, names)
        return names


def warn_of_formulas(names: list[str], target: str) -> None:
    """A spreadsheet that opens the file takes such a name for a formula and may run it."""
    risky = [name for name in names if name.startswith(("=", "+", "-", "@", "\t", "\r"))]
    if risky:
        warnings.warn(
            f"In '{Path(target).name}', the column name '{risky[0]}' looks like a formula, which "
            "spreadsheets may run: rename the column before you publish the file.",
            DataWarning,
            stacklevel=4,
        )


def as_text(table: pl.DataFrame) -> pl.DataFrame:
    """Moments and times as text that reads back to the same moment."""
    columns = []
    for name, dtype in table.schema.items():
        column = pl.col(name)
        if isinstance(dtype, pl.Datetime):
            column = column.dt.to_string(MOMENT + ("%:z" if dtype.time_zone else ""))
        elif dtype == pl.Time:
            column = column.dt.to_string("%H:%M:%S%.f")
        columns.append(column)
    return table.select(columns)


def found_encoding(path: Path, given: str | None) -> str:
    """The encoding: as given, by its mark, UTF-8 if the bytes are that, else Windows-1252."""
    if given is not None:
        try:
            io.TextIOWrapper(io.BytesIO(), encoding=given)  # which also refuses what is no encoding of text
            return codecs.lookup(given).name
        except LookupError:
            raise InputError(
                f"Unknown encoding '{given}': give one that Python knows, such as utf-8 or latin-1."
            ) from None
    with path.open("rb") as file:
        head = file.readline(2**16)
    if head.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if b"\0" in head:
        raise InputError(f"File '{path}' is not text: give its encoding if it is, such as encoding='utf-16-le'.")
    return "utf-8" if _is_utf8(path) else "cp1252"


def _is_utf8(path: Path) -> bool:
    """Whether all bytes are, up to a line that is too long anyway: that one is refused without reading on."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    length = 0
    with path.open("rb") as file:
        try:
            while chunk := file.read(2**24):
                decoder.decode(chunk)
                end = max(chunk.rfind(b"\n"), chunk.rfind(b"\r"))
                length = length + len(chunk) if end < 0 else len(chunk) - end - 1
                if length > 2 * FIELD_LIMIT:
                    return True
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def _found_separator(path: Path, encoding: str, quote: str | None) -> str:
    """The candidate that the header holds most often outside quotes; a comma for a single column."""
    with path.open(encoding=encoding, errors="replace", newline="") as file:
        header = file.readline(2**20)
    outside = "".join(header.split(quote)[::2]) if quote else header
    return max(",;\t|", key=outside.count)


def _ends_within_quotes(table: pl.DataFrame, path: Path, quote: bytes) -> bool:
    """Whether the last field has line breaks, as only quoted ones can, and no quote at its end."""
    last = table.item(-1, -1)
    if last is None or not ("\n" in last or "\r" in last):
        return False
    with path.open("rb") as file:
        file.seek(max(path.stat().st_size - 2**16, 0))
        return not file.read().rstrip(b"\r\n\t \0").endswith(quote)


def _explained(path: Path, source: str, error: Exception, encoding: str) -> str:
    reason = first_line(error).removeprefix("CSV parse error: ")
    if "straddling" in reason and path.stat().st_size <= FIELD_LIMIT:
        return f"File '{source}' has a header but no records."
    if "straddling" in reason:
        return (
            f"A record of '{source}' is longer than the limit of {FIELD_LIMIT // 2**20} MB: a closing "
            "quote may be missing."
        )
    if "UTF8" in reason:
        return f"File '{source}' is not {encoding}: give its encoding, such as encoding='latin-1'."
    if ragged := re.match(r"Row #(\d+): Expected (\d+) columns, got (\d+)", reason):
        row, expected, found = ragged.groups()
        return (
            f"Row {row} of '{source}' has {found} fields, but the header (row 1) has {expected}: every row "
            "needs the same number of fields."
        )
    return f"File '{source}' cannot be read as CSV: {reason}."
