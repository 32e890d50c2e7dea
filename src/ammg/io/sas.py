"""SAS: .xpt, and .sas7bdat to read."""

from __future__ import annotations

import re
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import polars as pl

from ammg.data.attribute import Attribute
from ammg.data.microdata import Microdata
from ammg.data.schema import Schema
from ammg.errors import InputError
from ammg.io.codebook import Codebook, with_codebook
from ammg.io.format import Format, existing
from ammg.io.stat_files import Calendar, attributes, load, numbers, save, whole, width_and_decimals
from ammg.io.types import flattened
from ammg.io.value_codes import numbered
from ammg.params import param

_CALENDAR = Calendar(epoch_days=3_653, date_ticks=1, moment_ticks_per_second=1)  # from 1 January 1960
_DATES = re.compile(
    r"(DATE|DAY|DDMMYY[BCDNPS]?|MMDDYY[BCDNPS]?|YYMMDD[BCDNPS]?|E8601DA|B8601DA|IS8601DA|JULIAN|MONYY|YYMON"
    r"|WEEKDATE|WEEKDATX|WORDDATE|WORDDATX|MMYY|YYMM|YYQ|NLDATE|MINGUO|NENGO)[\d.]*"
)
_MOMENTS = re.compile(r"(DATETIME|DATEAMPM|E8601DT|B8601DT|IS8601DT|MDYAMPM|NLDATM)[\d.]*")
_TIMES = re.compile(r"(TIME|TOD|HHMM|TIMEAMPM|E8601TM|B8601TM)[\d.]*")
_MEMBER = re.compile(rb"HEADER RECORD\*{7}MEMB(?:ER |V8) +HEADER RECORD")
_LEAST, _LARGEST = 5.398e-79, 7.237e75  # the hexadecimal floating point of transport files


class Sas(Format):
    """Files of SAS with variable labels and display formats.

    Transport files (version 8) hold numbers from 5.4e-79 to 7.2e75 and text; whole numbers beyond 2^53 are refused,
    moments are kept to the millisecond, empty text is missing. Categories are written as codes. Their labels, which SAS
    keeps in catalogs of their own, are in the codebook beside a written file, with the exact types.
    """

    suffixes = (".xpt", ".sas7bdat")
    read_only = (".sas7bdat",)

    encoding: str | None = param(None, "Encoding, when the file names the wrong one.")

    catalog: str | None = param(
        None, "Catalog (.sas7bcat) with the value labels of a .sas7bdat; the one of the same name is found beside it."
    )

    def read(self, source: str) -> Microdata:
        """Read the file; columns with date formats are dates."""
        reader = "read_sas7bdat" if source.lower().endswith(".sas7bdat") else "read_xport"
        options: dict[str, Any] = {"encoding": self.encoding}
        if reader == "read_sas7bdat":
            options["catalog_file"] = self._catalog(source)
        else:
            _refuse_libraries(source)
        frame, meta = load(reader, source, "SAS", **options)
        table = pl.DataFrame([_typed(column, meta) for column in frame])
        known = attributes(table, meta, keep=lambda form: not form.startswith("$"))
        return Codebook.beside(source).apply(table, known, meta.file_label or "")

    def _catalog(self, source: str) -> str | None:
        """The catalog that was given, or the one of the same name beside the file."""
        if self.catalog is not None:
            return str(existing(self.catalog))
        beside = Path(source).expanduser().with_suffix(".sas7bcat")
        return str(beside) if beside.is_file() else None

    def write(self, table: pl.DataFrame, schema: Schema, target: str) -> None:
        """Write a transport file of version 8, and the codebook beside it."""
        self.refuse_read_only(target)
        codebook = Codebook.of(table, schema)
        table, schema, given = numbered(table, schema)
        flat = flattened(table)
        described = [schema[name] for name in table.columns]
        with with_codebook(target, codebook.with_codes(given)) as path:
            save(
                "write_xport",
                pl.DataFrame([_numeric(column) for column in flat]),
                path,
                "SAS",
                file_format_version=8,
                file_label=schema.label[:40],
                column_labels={a.name: a.label[:256] for a in described if a.label},
                variable_format={a.name: form for a in described if (form := _format(a, flat[a.name]))},
            )


def _refuse_libraries(source: str) -> None:
    """A transport file can hold several datasets, of which all but the first would be read as its records."""
    with existing(source).open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        datasets = len(_MEMBER.findall(content))
    if datasets > 1:
        raise InputError(f"File '{source}' holds {datasets} datasets: write each to a file of its own.")


def _typed(values: pl.Series, meta: Any) -> pl.Series:
    form = meta.original_variable_types[values.name] or ""
    if values.dtype == pl.String:
        return values
    if _DATES.fullmatch(form):
        return _CALENDAR.read_date(values.cast(pl.Float64))
    if _MOMENTS.fullmatch(form):
        return _CALENDAR.read_moment(values.cast(pl.Float64))
    if _TIMES.fullmatch(form):
        return _CALENDAR.read_time(values.cast(pl.Float64))
    shown = width_and_decimals(form)
    return whole(values) if shown is not None and shown[1] == 0 else values


def _numeric(values: pl.Series) -> pl.Series:
    if values.dtype == pl.String:
        return values
    return _CALENDAR.write(values) if values.dtype.is_temporal() else numbers(values, "SAS", _LEAST, _LARGEST)


def _format(attribute: Attribute, values: pl.Series) -> str | None:
    given = attribute.display_format
    if values.dtype == pl.Date:
        return given if _DATES.fullmatch(given) else "YYMMDD10"
    if values.dtype == pl.Datetime:
        return given if _MOMENTS.fullmatch(given) else "DATETIME22.3"
    if values.dtype == pl.Time:
        return given if _TIMES.fullmatch(given) else "TIME12.3"
    if values.dtype == pl.String:
        return None
    shown = width_and_decimals(given)
    if values.dtype.is_integer() or values.dtype == pl.Boolean:
        return f"F{shown[0] if shown else 12}.0"
    return f"F{shown[0]}.{shown[1]}" if shown and shown[1] else None
