"""Types found in text: a column becomes numbers or dates only if every one of its texts says exactly that."""

from __future__ import annotations

import polars as pl

from ammg.io.types import MOMENT

MISSING_WORDS = ["NA", "N/A", "#N/A", "NULL", "null", "None", "NaN", "nan", ".", "-", "?", ""]
"""Read as missing in a column whose other texts are all numbers or dates; among texts they stay texts."""

_SPELLINGS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_NAME_OF_DIGITS = r"^\+|^-?0\d|^-?\d{16,}$"  # telephone numbers, leading zeros, more digits than a float64 holds
_DECIMAL_COMMA = r"^-?\d+(?:,\d+)?$"
_SAMPLE = 200


def inferred(texts: pl.Series, decimal: str | None) -> pl.Series:
    """The column as the narrowest type that loses nothing.

    Leading zeros, plus signs and integers beyond 64 bits stay text: they are names, not numbers. `decimal` is the
    decimal mark, or None when point and comma are both possible. Dates are those of ISO 8601; 01/02/03 stays text.
    """
    stripped = texts.str.strip_chars()
    values = _parsed(stripped, decimal)
    if values is None:
        words = stripped.is_in(MISSING_WORDS)
        if words.any():
            values = _parsed(stripped.set(words, None), decimal)
    return texts if values is None else values


def _parsed(texts: pl.Series, decimal: str | None) -> pl.Series | None:
    sample = texts.head(10 * _SAMPLE).drop_nulls().head(_SAMPLE)
    if not len(sample) and texts.null_count() == len(texts):
        return None
    for parse in (_integers, _numbers, _dates, _moments, _booleans):
        if parse(sample, decimal) is not None and (values := parse(texts, decimal)) is not None:
            return values
    return None


def _complete(texts: pl.Series, values: pl.Series) -> bool:
    return values.null_count() == texts.null_count()


def _integers(texts: pl.Series, _: str | None) -> pl.Series | None:
    for dtype in (pl.Int64, pl.UInt64):
        values = texts.cast(dtype, strict=False)
        if _complete(texts, values):
            return values if (values.cast(pl.String) == texts).all() else None
    return None


def _numbers(texts: pl.Series, decimal: str | None) -> pl.Series | None:
    comma = decimal == "," or (decimal is None and texts.str.contains(",", literal=True).any())
    if comma:
        if not texts.str.contains(_DECIMAL_COMMA).all():
            return None
        texts = texts.str.replace(",", ".", literal=True)
    values = texts.cast(pl.Float64, strict=False)
    if not _complete(texts, values) or texts.str.contains(_NAME_OF_DIGITS).any():
        return None
    return values


def _dates(texts: pl.Series, _: str | None) -> pl.Series | None:
    values = texts.str.to_date("%Y-%m-%d", strict=False)
    return values if _complete(texts, values) and (values.dt.to_string("%Y-%m-%d") == texts).all() else None


def _moments(texts: pl.Series, _: str | None) -> pl.Series | None:
    if not texts.str.contains(r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d").all():
        return None
    texts = texts.str.replace(" ", "T", literal=True)
    unit = "ns" if texts.str.contains(r"\.\d{7}").any() else "us"
    for pattern in (MOMENT, "%Y-%m-%dT%H:%M", f"{MOMENT}%#z"):
        values = texts.str.to_datetime(pattern, time_unit=unit, strict=False)  # type: ignore[arg-type]
        if _complete(texts, values):
            return values
    return None


def _booleans(texts: pl.Series, _: str | None) -> pl.Series | None:
    values = texts.replace_strict(_SPELLINGS, default=None, return_dtype=pl.Boolean)
    return values if _complete(texts, values) else None
