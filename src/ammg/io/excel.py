"""Excel workbooks."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import polars as pl

from ammg.data.microdata import Microdata
from ammg.data.schema import Schema
from ammg.errors import InputError, did_you_mean
from ammg.io.codebook import Codebook, with_codebook
from ammg.io.csv import as_text
from ammg.io.format import Format, existing, first_line, refuse_duplicates
from ammg.io.types import flattened
from ammg.optional import require
from ammg.params import param

_ROWS, _COLUMNS, _CHARACTERS = 1_048_575, 16_384, 32_767
_LARGEST_WHOLE = 10**15
_FIRST_DAY = dt.date(1900, 3, 1)  # before it Excel counts a day that never was


class Excel(Format):
    """Worksheets of Excel (.xlsx; .xls, .xlsb and .ods to read), one record per row and a header.

    Excel has numbers of 15 to 16 digits and text: whole numbers beyond 10^15, infinite numbers and texts beyond 32,767
    characters are refused, moments are kept to the millisecond, empty text and NaN are missing. Times, and dates
    before March 1900, are written as text. The codebook beside a written file brings types and labels back.
    """

    suffixes = (".xlsx", ".xls", ".xlsb", ".ods")
    read_only = (".xls", ".xlsb", ".ods")

    sheet: str | None = param(None, "Name of the worksheet; by default the first.")

    def read(self, source: str) -> Microdata:
        """Read a worksheet, types as its cells have them."""
        fastexcel = require("fastexcel", "Reading Excel files")
        path = existing(source)
        try:
            book = fastexcel.read_excel(path)
            sheets = book.sheet_names
            if self.sheet is not None and self.sheet not in sheets:
                raise InputError(f"'{source}' has no sheet '{self.sheet}'.{did_you_mean(self.sheet, sheets)}")
            sheet = self.sheet or sheets[0]
            header = book.load_sheet(sheet, header_row=None, n_rows=1, dtypes="string").to_polars()
            table = book.load_sheet(sheet, schema_sample_rows=None, skip_whitespace_tail_rows=False).to_polars()
        except InputError:
            raise
        except Exception as error:  # fastexcel's errors have no root but Exception
            raise InputError(f"File '{source}' cannot be read as Excel: {first_line(error)}.") from None
        refuse_duplicates(source, [name for name in header.row(0) if name is not None] if len(header) else [])
        codebook = Codebook.beside(path)
        table = _padded(table, int(codebook.file.get("records", len(table))))
        if not len(table):
            raise InputError(f"Sheet '{sheet}' of '{source}' has a header but no records.")
        return codebook.apply(table.with_columns(_moments(table)))

    def write(self, table: pl.DataFrame, schema: Schema, target: str) -> None:
        """Write one worksheet, and the codebook beside it."""
        self.refuse_read_only(target)
        flat = as_cells(table)
        with with_codebook(target, Codebook.of(table, schema, records=len(table))) as path:
            _write(flat, path, self.sheet or "data")


def as_cells(table: pl.DataFrame) -> pl.DataFrame:
    """The values as Excel can hold them; what it would change is refused."""
    if len(table) > _ROWS or table.width > _COLUMNS:
        raise InputError(
            f"Excel holds {_ROWS:,} records and {_COLUMNS:,} columns, but this file has {len(table):,} × "
            f"{table.width:,}: write CSV or Parquet."
        )
    return pl.DataFrame([_cells(column) for column in flattened(table)])


def _cells(values: pl.Series) -> pl.Series:
    dtype = values.dtype
    if dtype.is_integer() and (values.cast(pl.Int128).abs() > _LARGEST_WHOLE).any():
        raise InputError(f"Column '{values.name}' has whole numbers beyond 10^15, which Excel rounds: make it text.")
    if dtype.is_float() and values.is_infinite().any():
        raise InputError(f"Column '{values.name}' has infinite numbers, which Excel cannot store: recode them.")
    if dtype == pl.String and (values.str.len_chars() > _CHARACTERS).any():
        raise InputError(f"Column '{values.name}' has a text of more than {_CHARACTERS:,} characters: write CSV.")
    if dtype.is_float():
        return values.fill_nan(None)
    zoned = isinstance(dtype, pl.Datetime) and dtype.time_zone is not None
    early = dtype in (pl.Date, pl.Datetime) and not zoned and (values.dt.date() < _FIRST_DAY).any()
    if dtype == pl.Date and early:
        return values.dt.to_string("%Y-%m-%d")
    if zoned or early or dtype == pl.Time:
        return as_text(values.to_frame()).to_series()
    if isinstance(dtype, pl.Datetime):
        return (values.dt.cast_time_unit("us").to_physical() / 1000).round().cast(pl.Int64).cast(pl.Datetime("ms"))
    return values.cast(pl.Float64) if dtype.is_decimal() else values


def _write(flat: pl.DataFrame, path: Path, sheet: str) -> None:
    xlsxwriter = require("xlsxwriter", "Writing Excel files")
    texts = {"strings_to_numbers": False, "strings_to_formulas": False, "strings_to_urls": False}
    book = xlsxwriter.Workbook(str(path), texts)
    formats: dict[Any, Any] = {
        pl.Date: book.add_format({"num_format": "yyyy-mm-dd"}),
        pl.Datetime: book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss.000"}),
    }
    try:
        page = book.add_worksheet(sheet)
    except xlsxwriter.exceptions.XlsxWriterException as error:
        raise InputError(f"'{sheet}' is not a valid sheet name: {first_line(error)}.") from None
    for position, column in enumerate(flat):
        page.write_string(0, position, column.name)
        page.write_column(1, position, column.to_list(), formats.get(column.dtype.base_type()))
    book.close()


def _padded(table: pl.DataFrame, records: int) -> pl.DataFrame:
    """Records at the end whose values are all missing leave no cell; the codebook knows how many there are."""
    short = records - len(table)
    return table if short <= 0 else pl.concat([table, table.clear(short)])


def _moments(table: pl.DataFrame) -> list[pl.Expr]:
    return [pl.col(name).dt.cast_time_unit("us") for name, dtype in table.schema.items() if dtype == pl.Datetime]
