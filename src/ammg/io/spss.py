"""SPSS: .sav, .zsav, and .por to read."""

from __future__ import annotations

import re
from typing import Any

import polars as pl

from ammg.data.attribute import Attribute, Kind
from ammg.data.microdata import Microdata
from ammg.data.schema import Schema
from ammg.io.codebook import Codebook, with_codebook
from ammg.io.format import Format
from ammg.io.stat_files import Calendar, attributes, load, numbers, plain, save, whole, width_and_decimals
from ammg.io.types import flattened
from ammg.io.value_codes import numbered
from ammg.params import param

_CALENDAR = Calendar(epoch_days=141_428, date_ticks=86_400, moment_ticks_per_second=1)  # from 14 October 1582
_DATES = ("DATE", "ADATE", "EDATE", "SDATE", "JDATE", "MOYR", "QYR", "WKYR")
_MOMENTS = ("DATETIME", "YMDHMS")
_TIMES = ("TIME",)
_MOST_CODES = 3


class Spss(Format):
    """Files of SPSS with variable labels, value labels, user-missing codes, measures and display formats.

    SPSS has float64 numbers and text: whole numbers beyond 2^53 are refused, moments are kept to the millisecond,
    empty text is missing and text loses blanks at its end. The codebook beside a written file keeps exact types.
    """

    suffixes = (".sav", ".zsav", ".por")
    read_only = (".por",)

    user_missing: bool = param(
        True, "Put user-missing codes back into the release; otherwise all of them become system-missing."
    )
    encoding: str | None = param(None, "Encoding, when the file names the wrong one.")

    def read(self, source: str) -> Microdata:
        """Read the file; numbers shown without decimals are integers, date formats are dates."""
        if source.lower().endswith(".por"):
            frame, meta = load("read_por", source, "SPSS portable")
        else:
            frame, meta = load("read_sav", source, "SPSS", user_missing=True, encoding=self.encoding)
        codes = {name: _codes(meta.missing_ranges.get(name, ())) for name in frame.columns}
        table = pl.DataFrame([self._typed(column, codes[column.name], meta) for column in frame])
        known = attributes(table, meta, keep=lambda form: not form.startswith("A"))
        own = {name: attribute.replace(missing_codes=codes[name]) for name, attribute in known.items()}
        return Codebook.beside(source).apply(table, own, meta.file_label or "")

    def _typed(self, values: pl.Series, codes: tuple[Any, ...], meta: Any) -> pl.Series:
        """The column as it is meant; codes of what is no number or text afterwards are missing."""
        without = _typed(_without(values, codes), meta)
        return without if without.dtype.is_temporal() or not self.user_missing else _typed(values, meta)

    def write(self, table: pl.DataFrame, schema: Schema, target: str) -> None:
        """Write the file with all that SPSS can say, and the codebook beside it."""
        self.refuse_read_only(target)
        codebook = Codebook.of(table, schema)
        table, schema, given = numbered(table, schema)
        flat = flattened(table)
        written = [_numeric(column) for column in flat]
        described = [schema[name] for name in table.columns]
        with with_codebook(target, codebook.with_codes(given)) as path:
            save(
                "write_sav",
                pl.DataFrame(written),
                path,
                "SPSS",
                file_label=schema.label,
                compress=target.lower().endswith(".zsav"),
                column_labels={a.name: a.label for a in described if a.label},
                variable_value_labels={a.name: labels for a in described if (labels := _labels(a, flat[a.name]))},
                missing_ranges={a.name: codes for a in described if (codes := _ranges(a, flat[a.name]))},
                variable_measure={a.name: _measure(a) for a in described},
                variable_format={a.name: form for a in described if (form := _format(a, flat[a.name]))},
            )


def _family(form: str) -> str:
    return re.sub(r"[\d.]+$", "", form)


def _typed(values: pl.Series, meta: Any) -> pl.Series:
    form = meta.original_variable_types[values.name] or ""
    family = _family(form)
    if values.dtype == pl.String:
        return values
    if family in _DATES:
        return _CALENDAR.read_date(values)
    if family in _MOMENTS:
        return _CALENDAR.read_moment(values)
    if family in _TIMES:
        return _CALENDAR.read_time(values)
    shown = width_and_decimals(form)
    return whole(values) if values.name in meta.variable_value_labels or (shown and shown[1] == 0) else values


def _codes(ranges: Any) -> tuple[Any, ...]:
    return tuple(
        plain(part["lo"]) if part["lo"] == part["hi"] else (plain(part["lo"]), plain(part["hi"])) for part in ranges
    )


def _without(values: pl.Series, codes: tuple[Any, ...]) -> pl.Series:
    for code in codes:
        hit = values.is_between(*code) if isinstance(code, tuple) else values == code
        values = values.set(hit.fill_null(False), None)
    return values


def _numeric(values: pl.Series) -> pl.Series:
    if values.dtype == pl.String:
        return values
    if values.dtype.is_temporal():
        return _CALENDAR.write(values)
    return numbers(values, "SPSS", 0.0, 1.797e308)


def _labels(attribute: Attribute, values: pl.Series) -> dict[Any, str]:
    """Labels of the column's own type: numbers for numbers, text for text."""
    textual = values.dtype == pl.String
    return {
        value if textual else float(value): label
        for value, label in attribute.value_labels.items()
        if isinstance(value, str) == textual and not values.dtype.is_temporal()
    }


def _ranges(attribute: Attribute, values: pl.Series) -> list[Any]:
    """Missing codes as SPSS takes them: three values, or a range and one value; the codebook has the others."""
    if values.dtype.is_temporal():
        return []
    fitting = [c for c in attribute.missing_codes if isinstance(c, str) == (values.dtype == pl.String)]
    ranges = [{"lo": code[0], "hi": code[1]} for code in fitting if isinstance(code, tuple)][:1]
    single = [code for code in fitting if not isinstance(code, tuple)]
    if len(single) > _MOST_CODES and not ranges and _is_alone(values, single):
        return [{"lo": min(single), "hi": max(single)}]
    return [*ranges, *single[: 1 if ranges else _MOST_CODES]]


def _is_alone(values: pl.Series, codes: list[Any]) -> bool:
    """Whether no other value lies between numeric codes, so that one range can stand for them."""
    if values.dtype == pl.String:
        return False
    return bool(values.filter(values.is_between(min(codes), max(codes))).is_in(codes).all())


def _measure(attribute: Attribute) -> str:
    if attribute.kind is Kind.ORDINAL:
        return "ordinal"
    return "scale" if attribute.is_numeric else "nominal"


def _format(attribute: Attribute, values: pl.Series) -> str | None:
    given = attribute.display_format
    if values.dtype == pl.Date:
        return given if _family(given) in _DATES else "SDATE10"
    if values.dtype == pl.Datetime:
        return given if _family(given) in _MOMENTS else "DATETIME23.3"
    if values.dtype == pl.Time:
        return given if _family(given) in _TIMES else "TIME12.3"
    if values.dtype == pl.String:
        return None
    whole_numbers = values.dtype.is_integer() or values.dtype == pl.Boolean
    width, decimals = width_and_decimals(given) or (8, 0 if whole_numbers else 2)
    # A whole number is shown without decimals and a fraction with some: that is how the type is known on reading.
    decimals = 0 if whole_numbers else max(decimals, 1)
    return f"F{min(max(width, decimals + 2 if decimals else 1), 40)}.{min(decimals, 16)}"
