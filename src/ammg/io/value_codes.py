"""Categories as numbered codes with value labels, as the programs of statistical offices keep them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from ammg.data.attribute import Attribute
from ammg.data.schema import Schema

_LONGEST_LABEL = 120  # bytes, of SPSS
_MOST = 1_000

Codes = Mapping[str, Mapping[str, int | float]]
"""For each column the number that stands for each category."""


def numbered(table: pl.DataFrame, schema: Schema) -> tuple[pl.DataFrame, Schema, Codes]:
    """Columns with a dictionary as codes 1, 2, … whose value labels are the categories.

    Missing codes that became text when numbers were recoded are numbers again. Columns stay text where a category is
    too long for a label.
    """
    codes = {name: found for name in table.columns if (found := _codes(table[name].dtype, schema[name]))}
    columns = [
        table[name].cast(pl.String).replace_strict(list(given), list(given.values()), return_dtype=pl.Float64)
        for name, given in codes.items()
    ]
    whole = [
        column.cast(pl.Int64) if all(float(code).is_integer() for code in codes[column.name].values()) else column
        for column in columns
    ]
    described = [_labelled(schema[name], given) for name, given in codes.items()]
    return table.with_columns(whole), schema.replace(*described), codes


def decoded(values: pl.Series, categories: Sequence[Mapping[str, Any]]) -> pl.Series:
    """Codes as the categories that a codebook says they stand for."""
    codes = {float(category["code"]): category["value"] for category in categories if "code" in category}
    if not codes or not values.dtype.is_numeric():
        return values
    texts = values.cast(pl.Float64).replace_strict(
        list(codes), list(codes.values()), default=values.cast(pl.String), return_dtype=pl.String
    )
    return texts.alias(values.name)


def _codes(dtype: pl.DataType, attribute: Attribute) -> dict[str, int | float]:
    if not isinstance(dtype, pl.Enum) or not len(dtype.categories) or len(dtype.categories) > _MOST:
        return {}
    missing = {code: number for code in attribute.missing_codes if (number := _number(code)) is not None}
    inside = [category for category in dtype.categories if category not in missing]
    if any(not category or len(category.encode()) > _LONGEST_LABEL for category in inside):
        return {}
    taken = set(missing.values())
    free = (code for code in range(1, len(inside) + len(taken) + 1) if code not in taken)
    return {**dict(zip(inside, free, strict=False)), **missing}


def _number(code: Any) -> int | float | None:
    try:
        number = float(code)
    except (TypeError, ValueError):
        return None
    return int(number) if number.is_integer() else number


def _labelled(attribute: Attribute, codes: Mapping[str, int | float]) -> Attribute:
    missing = {code: codes[code] for code in attribute.missing_codes if code in codes}
    labels = {code: attribute.value_labels.get(category, category) for category, code in codes.items()}
    kept = {number: label for number, label in labels.items() if number not in missing.values()}
    named = {codes[code]: attribute.value_labels[code] for code in missing if code in attribute.value_labels}
    return attribute.replace(value_labels={**kept, **named}, missing_codes=tuple(missing.values()), display_format="")
