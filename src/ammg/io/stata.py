"""Stata: .dta."""

from __future__ import annotations

import re
from typing import Any

import polars as pl

from ammg.data.attribute import Attribute
from ammg.data.microdata import Microdata
from ammg.data.schema import Schema
from ammg.io.codebook import Codebook, with_codebook
from ammg.io.format import Format
from ammg.io.letter_codes import LETTERS, described, letter_of, with_letters, with_numbers
from ammg.io.stat_files import Calendar, attributes, load, numbers, save, whole, width_and_decimals
from ammg.io.types import flattened
from ammg.io.value_codes import numbered
from ammg.params import param

_CALENDAR = Calendar(epoch_days=3_653, date_ticks=1, moment_ticks_per_second=1000)  # from 1 January 1960
_LARGEST = 8.98e307
_LONG = (-2_147_483_647, 2_147_483_620)


class Stata(Format):
    """Files of Stata with variable labels, value labels, missing codes .a to .z and display formats.

    Values .a to .z of numbers are read as missing codes, .a as -1000001, and leave as .a to .z with their labels; those
    of dates are plain missing values. Stata has no empty text (it is missing), no infinite numbers, numbers up to
    8.9e307, and keeps moments to the millisecond. Whole numbers beyond 2^53 are refused. Labels belong to whole
    numbers; labels of text and other missing codes are in the codebook beside a written file, with the exact types.
    """

    suffixes = (".dta",)

    encoding: str | None = param(None, "Encoding of a file older than Stata 14.")

    def read(self, source: str) -> Microdata:
        """Read the file; .a to .z are codes for missing values."""
        frame, meta = load("read_dta", source, "Stata", encoding=self.encoding, user_missing=True)
        columns, numbers = [], {}
        for column in frame:
            values, numbers[column.name] = with_numbers(column) if _has_letters(column, meta) else (column, {})
            columns.append(_typed(values, numbers[column.name], meta))
        table = pl.DataFrame(columns)
        known = attributes(table, meta, keep=lambda form: not form.endswith("s"))
        own = {
            name: described(a, meta.missing_user_values.get(name, ()), numbers[name])
            if numbers[name] and not table[name].dtype.is_temporal()
            else a
            for name, a in known.items()
        }
        return Codebook.beside(source).apply(table, own, meta.file_label or "")

    def write(self, table: pl.DataFrame, schema: Schema, target: str) -> None:
        """Write version 118 (Stata 14 and later) with all that Stata can say, and the codebook beside it."""
        codebook = Codebook.of(table, schema)
        table, schema, given = numbered(table, schema)
        flat = flattened(table)
        variables = [schema[name] for name in table.columns]
        letters = {a.name: found for a in variables if (found := _letters(a, flat[a.name]))}
        labels = {a.name: found for a in variables if (found := _labels(a, flat[a.name], letters.get(a.name, {})))}
        with with_codebook(target, codebook.with_codes(given)) as path:
            save(
                "write_dta",
                pl.DataFrame(
                    [with_letters(_numeric(c), letters[c.name]) if c.name in letters else _numeric(c) for c in flat]
                ),
                path,
                "Stata",
                version=15,
                file_label=schema.label[:80],
                column_labels={a.name: a.label[:80] for a in variables if a.label},
                variable_value_labels=labels,
                missing_user_values={name: list(found.values()) for name, found in letters.items()},
                variable_format={a.name: form for a in variables if (form := _format(a, flat[a.name]))},
            )


def _has_letters(values: pl.Series, meta: Any) -> bool:
    """Whether values or labels name .a to .z."""
    labels = meta.variable_value_labels.get(values.name, {})
    return values.dtype != pl.String and (
        values.dtype == pl.Object or any(value in LETTERS for value in labels if isinstance(value, str))
    )


def _typed(values: pl.Series, numbers: dict[str, int], meta: Any) -> pl.Series:
    form = meta.original_variable_types[values.name] or ""
    if values.dtype == pl.String:
        return values
    if re.match(r"%-?t?d", form):
        return _CALENDAR.read_date(_without(values, numbers))
    if re.match(r"%-?t[cC]", form):
        return _CALENDAR.read_moment(_without(values, numbers))
    stored = meta.readstat_variable_types[values.name]
    if stored.startswith("int"):
        return values.cast(pl.Int64)
    if stored == "float" and not numbers:
        return values.cast(pl.Float32)
    shown = width_and_decimals(form)
    return whole(values) if form.endswith("f") and shown is not None and shown[1] == 0 else values


def _without(values: pl.Series, numbers: dict[str, int]) -> pl.Series:
    values = values.cast(pl.Float64)
    return (
        values.set(values.is_in([float(code) for code in numbers.values()]).fill_null(False), None)
        if numbers
        else values
    )


def _letters(attribute: Attribute, values: pl.Series) -> dict[int, str]:
    """The letters of a column's codes that stand for .a to .z."""
    if not values.dtype.is_integer() and not values.dtype.is_float():
        return {}
    return {int(code): letter for code in attribute.missing_codes if (letter := letter_of(code))}


def _numeric(values: pl.Series) -> pl.Series:
    """The narrowest storage that holds the column."""
    if values.dtype == pl.String:
        return values
    if values.dtype.is_temporal():
        return _CALENDAR.write(values)
    as_double = numbers(values, "Stata", 0.0, _LARGEST)
    if values.dtype.is_integer() or values.dtype == pl.Boolean:
        fits = as_double.drop_nulls().is_between(*_LONG).all()
        return as_double.cast(pl.Int32) if fits else as_double
    return as_double


def _labels(attribute: Attribute, values: pl.Series, letters: dict[int, str]) -> dict[Any, str]:
    """Labels of whole numbers and of .a to .z; Stata has no others."""
    if not values.dtype.is_integer() and not values.dtype.is_float():
        return {}
    result: dict[Any, str] = {}
    for value, label in attribute.value_labels.items():
        if value in letters:
            result[letters[value]] = label
        elif not isinstance(value, str) and float(value).is_integer() and _LONG[0] <= value <= _LONG[1]:
            result[int(value)] = label
    return result


def _format(attribute: Attribute, values: pl.Series) -> str | None:
    given = attribute.display_format
    if values.dtype == pl.Date:
        return given if re.match(r"%-?t?d", given) else "%td"
    if values.dtype == pl.Datetime:
        return given if re.match(r"%-?t[cC]", given) else "%tc"
    if values.dtype == pl.Time:
        return "%tcHH:MM:SS"
    if values.dtype == pl.String:
        return None
    if given.startswith("%") and values.dtype.is_float():
        return given
    shown = width_and_decimals(given)
    if values.dtype.is_integer() or values.dtype == pl.Boolean:
        return f"%{max(shown[0], 1) if shown else 12}.0f"
    return f"%{shown[0]}.{shown[1]}f" if shown and shown[1] else None
