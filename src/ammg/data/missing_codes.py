"""Codes that stand for missing values: set aside when data come in, put back when they leave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import polars as pl

from ammg.data.attribute import Attribute
from ammg.data.encoding import ID
from ammg.data.schema import Schema
from ammg.errors import InputError

Codes = tuple[Any, ...]
"""Values, and pairs (low, high) that stand for all values between."""


def set_aside(table: pl.DataFrame, schema: Schema) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Set declared codes to missing; also returns the codes, one column per affected column, null elsewhere."""
    found = {}
    for attribute in schema:
        if attribute.missing_codes and attribute.name in table.columns:
            values = table[attribute.name]
            coded = is_coded(values, attribute.missing_codes)
            if coded.any():
                found[attribute.name] = coded
    codes = table.select(pl.when(coded).then(pl.col(name)).alias(name) for name, coded in found.items())
    cleaned = [pl.when(~coded).then(pl.col(name)).alias(name) for name, coded in found.items()]
    return (table.with_columns(cleaned) if cleaned else table), codes


def put_back(
    frame: pl.DataFrame, schema: Schema, original: pl.DataFrame, codes: pl.DataFrame
) -> tuple[pl.DataFrame, Schema]:
    """Put the codes back where values of masked records (with ids) were missing before masking and still are.

    A column in which masking made further values missing gets no codes back: cells without a code would be the
    suppressed ones.
    """
    ids = frame[ID].to_numpy()
    known = ids < len(original)
    rows = np.where(known, ids, 0)
    changed, described = [], []
    for name in codes.columns:
        if name not in frame.columns:
            continue
        missing = frame[name].is_null()
        was_there = original[name].is_not_null().gather(rows)
        if (missing & (was_there | pl.Series(~known))).any():
            continue
        code = codes[name].gather(rows)
        values = with_codes(frame[name], code.set(~(missing & pl.Series(known)), None), codes[name])
        if values is not None:
            changed.append(values.alias(name))
            described.append(with_codes_described(schema[name], values.dtype, codes[name]))
    return frame.with_columns(changed), schema.replace(*described)


def without_codes(frame: pl.DataFrame, codes: Mapping[str, Codes]) -> pl.DataFrame:
    """A frame with the declared codes of its columns set to missing."""
    here = [name for name in codes if name in frame.columns]
    return frame.with_columns(frame[name].set(is_coded(frame[name], codes[name]), None) for name in here)


def is_coded(values: pl.Series, codes: Codes) -> pl.Series:
    """Which values are among the codes, compared as numbers or as text; missing values are not."""
    coded = pl.Series(np.zeros(len(values), dtype=bool))
    textual = _is_textual(values.dtype)
    if not textual and not values.dtype.is_numeric():
        return coded
    compared = values.cast(pl.String) if textual else values
    for code in codes:
        if isinstance(code, tuple):
            hit = None if textual else compared.is_between(*code)
        else:
            fits = isinstance(code, str) == textual
            hit = compared == code if fits else None
        if hit is not None:
            coded |= hit.fill_null(False)
    return coded


def declared_codes(name: str, given: Any) -> tuple[Codes, dict[Any, str]]:
    """Codes and their labels as an owner declares them: one, a list, or a mapping to labels; pairs are ranges."""
    if isinstance(given, Mapping):
        return tuple(given), {code: str(label) for code, label in given.items()}
    listed = [given] if isinstance(given, str | int | float) else given
    if not isinstance(listed, Iterable):
        raise InputError(f"{given!r} is not a missing code of '{name}': give a value, a list, or {{code: label}}.")
    codes = tuple(tuple(code) if isinstance(code, list | tuple) else code for code in listed)
    for code in codes:
        if isinstance(code, tuple) and (len(code) != 2 or not all(isinstance(end, int | float) for end in code)):
            raise InputError(f"Missing code {list(code)} of '{name}' is not a range: write its two ends, [90, 99].")
    return codes, {}


def with_codes(values: pl.Series, codes: pl.Series, carried: pl.Series) -> pl.Series | None:
    """The column with codes where it is missing; they become text where numbers were recoded into text.

    `carried` are all codes that occur in the file; the dictionary of the column includes all of them.
    """
    dtype = values.dtype
    if dtype.is_numeric() and codes.dtype.is_numeric():
        return values.zip_with(codes.is_null(), codes.cast(dtype))
    if not _is_textual(dtype):
        return None
    text = _texts(codes)
    if isinstance(dtype, pl.Enum):
        known = set(dtype.categories)
        new = [code for code in _texts(carried).unique().drop_nulls().sort().to_list() if code not in known]
        dtype = pl.Enum([*dtype.categories, *new])
    return values.cast(pl.String).zip_with(text.is_null(), text).cast(dtype)


def _texts(codes: pl.Series) -> pl.Series:
    text = codes.cast(pl.String)
    return text.str.strip_suffix(".0") if codes.dtype.is_float() else text


def with_codes_described(attribute: Attribute, after: pl.DataType, carried: pl.Series) -> Attribute:
    """The attribute with its codes as text where numbers became text; a range is replaced by the codes that occur.

    Labels of categories, which are text already, stay.
    """
    if not (_is_textual(after) and carried.dtype.is_numeric()):
        return attribute
    single = [code for code in attribute.missing_codes if not isinstance(code, tuple)]
    numbers = sorted({*carried.drop_nulls().to_list(), *single})
    known = attribute.value_labels.items()
    labels = {value: label for value, label in known if isinstance(value, str)}
    labels |= {_as_text(value): label for value, label in known if value in numbers}
    return attribute.replace(missing_codes=tuple(map(_as_text, numbers)), value_labels=labels)


def _as_text(code: float) -> str:
    return str(code).removesuffix(".0")


def _is_textual(dtype: pl.DataType) -> bool:
    return dtype == pl.String or dtype == pl.Categorical or isinstance(dtype, pl.Enum)
