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
from ammg.io.stat_files import Calendar, attributes, load, numbers, save, whole, width_and_decimals
from ammg.io.types import flattened
from ammg.io.value_codes import numbered
from ammg.params import param

_CALENDAR = Calendar(epoch_days=3_653, date_ticks=1, moment_ticks_per_second=1000)  # from 1 January 1960
_LARGEST = 8.98e307
_LONG = (-2_147_483_647, 2_147_483_620)


class Stata(Format):
    """Files of Stata with variable labels, value labels, missing codes .a to .z and display formats.

    Values .a to .z are read as missing and leave as the plain missing value; their labels stay. Stata has no empty text
    (it is missing), no infinite numbers, numbers up to 8.9e307, and keeps moments to the millisecond. Whole numbers
    beyond 2^53 are refused. Labels belong to whole numbers; labels of text and numeric missing codes are in the
    codebook beside a written file, with the exact types.
    """

    suffixes = (".dta",)

    encoding: str | None = param(None, "Encoding of a file older than Stata 14.")

    def read(self, source: str) -> Microdata:
        """Read the file; .a to .z are missing."""
        frame, meta = load("read_dta", source, "Stata", encoding=self.encoding)
        table = pl.DataFrame([_typed(column, meta) for column in frame])
        known = attributes(table, meta, keep=lambda form: not form.endswith("s"))
        own = {name: _with_codes(a) for name, a in known.items()}
        return Codebook.beside(source).apply(table, own, meta.file_label or "")

    def write(self, table: pl.DataFrame, schema: Schema, target: str) -> None:
        """Write version 118 (Stata 14 and later) with all that Stata can say, and the codebook beside it."""
        codebook = Codebook.of(table, schema)
        table, schema, given = numbered(table, schema)
        flat = flattened(table)
        described = [schema[name] for name in table.columns]
        labels = {a.name: found for a in described if (found := _labels(a, flat[a.name]))}
        letters = {name: codes for name, found in labels.items() if (codes := [v for v in found if v in _LETTERS])}
        with with_codebook(target, codebook.with_codes(given)) as path:
            save(
                "write_dta",
                pl.DataFrame([_mixed(_numeric(c)) if c.name in letters else _numeric(c) for c in flat]),
                path,
                "Stata",
                version=15,
                file_label=schema.label[:80],
                column_labels={a.name: a.label[:80] for a in described if a.label},
                variable_value_labels=labels,
                missing_user_values=letters,
                variable_format={a.name: form for a in described if (form := _format(a, flat[a.name]))},
            )


_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")


def _typed(values: pl.Series, meta: Any) -> pl.Series:
    form = meta.original_variable_types[values.name] or ""
    if values.dtype == pl.String:
        return values
    if re.match(r"%-?t?d", form):
        return _CALENDAR.read_date(values.cast(pl.Float64))
    if re.match(r"%-?t[cC]", form):
        return _CALENDAR.read_moment(values.cast(pl.Float64))
    stored = meta.readstat_variable_types[values.name]
    if stored.startswith("int"):
        return values.cast(pl.Int64)
    if stored == "float":
        return values.cast(pl.Float32)
    shown = width_and_decimals(form)
    return whole(values) if form.endswith("f") and shown is not None and shown[1] == 0 else values


def _with_codes(attribute: Attribute) -> Attribute:
    """Labels of the letters a to z are labels of the missing codes .a to .z."""
    if attribute.kind.label == "text" or not any(value in _LETTERS for value in attribute.value_labels):
        return attribute
    labels = {f".{v}" if v in _LETTERS else v: label for v, label in attribute.value_labels.items()}
    codes = tuple(value for value in labels if isinstance(value, str))
    return attribute.replace(value_labels=labels, missing_codes=codes)


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


def _mixed(values: pl.Series) -> pl.Series:
    """A column of Python objects: pyreadstat takes labels of .a to .z for no other."""
    return pl.Series(values.name, values.cast(pl.Float64).to_list(), dtype=pl.Object)


def _labels(attribute: Attribute, values: pl.Series) -> dict[Any, str]:
    """Labels of whole numbers and of .a to .z; Stata has no others."""
    if not values.dtype.is_integer() and not values.dtype.is_float():
        return {}
    result: dict[Any, str] = {}
    for value, label in attribute.value_labels.items():
        if isinstance(value, str) and value.removeprefix(".") in _LETTERS:
            result[value.removeprefix(".")] = label
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
