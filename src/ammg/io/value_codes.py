"""Categories as numbered codes with value labels, as the programs of statistical offices keep them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import count
from typing import Any

import polars as pl

from ammg.data.attribute import Attribute, Kind
from ammg.data.schema import Schema

_LONGEST_LABEL = 120  # bytes, of SPSS
_MOST = 1_000

Codes = Mapping[str, Mapping[str, int | float]]
"""For each column the number that stands for each category."""


def numbered(table: pl.DataFrame, schema: Schema) -> tuple[pl.DataFrame, Schema, Codes]:
    """Columns with a dictionary as codes 1, 2, … whose value labels are the categories or the labels of these.

    Missing codes that became text when numbers were recoded are numbers again, and so are labelled codes that were not
    merged. Columns stay text where a category is too long for a label.
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
    labels = attribute.value_labels
    if any(not category or len(category.encode()) > _LONGEST_LABEL for category in inside if category not in labels):
        return {}
    taken = set(missing.values())
    own = _own_codes(inside, taken) if any(category in labels for category in inside) else {}
    ordered = _in_order(inside, own, taken) if own and attribute.kind is Kind.ORDINAL else {}
    return {**(ordered or _numbered(inside, own, taken)), **missing}


def _own_codes(categories: Sequence[str], taken: Collection[int | float]) -> dict[str, int]:
    """The categories that are codes themselves, of a column that had labelled codes before it was recoded."""
    own = {category: int(category) for category in categories if re.fullmatch(r"0|-?[1-9]\d{0,8}", category)}
    return {category: code for category, code in own.items() if code not in taken}


def _numbered(categories: Sequence[str], own: Mapping[str, int], taken: Collection[int | float]) -> dict[str, int]:
    """Numbers of categories: their own, or else one that is above all of these."""
    free = (code for code in count(max(own.values(), default=0) + 1) if code not in taken)
    return {category: own[category] if category in own else next(free) for category in categories}


def _in_order(categories: Sequence[str], own: Mapping[str, int], taken: Collection[int | float]) -> dict[str, int]:
    """Numbers that ascend with the categories, that of a class `1 to 3` being 1 if possible.

    Empty if there is no room between the codes that are kept.
    """
    begin = {category: int(found[0]) for category in categories if (found := re.match(r"-?\d{1,9}", category))}
    first = next(place for place, category in enumerate(categories) if category in begin)
    last = begin[categories[first]] - first - 1
    codes: dict[str, int] = {}
    for category in categories:
        lowest = max(last + 1, begin.get(category, last + 1))
        last = codes[category] = next(code for code in count(lowest) if code not in taken)
        if last != own.get(category, last):
            return {}
    return codes


def _number(code: Any) -> int | float | None:
    try:
        number = float(code)
    except (TypeError, ValueError):
        return None
    return int(number) if number.is_integer() else number


def _labelled(attribute: Attribute, codes: Mapping[str, int | float]) -> Attribute:
    missing = {code: codes[code] for code in attribute.missing_codes if code in codes}
    labels = {code: _shortened(attribute.value_labels.get(category, category)) for category, code in codes.items()}
    kept = {number: label for number, label in labels.items() if number not in missing.values()}
    named = {codes[code]: attribute.value_labels[code] for code in missing if code in attribute.value_labels}
    return attribute.replace(value_labels={**kept, **named}, missing_codes=tuple(missing.values()), display_format="")


def _shortened(label: str) -> str:
    """A label of many categories as far as it fits; the codebook has the whole."""
    if len(label.encode()) <= _LONGEST_LABEL:
        return label
    return label.encode()[: _LONGEST_LABEL - len("…".encode())].decode(errors="ignore") + "…"
