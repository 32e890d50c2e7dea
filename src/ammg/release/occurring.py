"""Only what the records still contain: a release does not mention values that masking removed."""

from __future__ import annotations

import re
from typing import Any

import polars as pl

from ammg.data.attribute import Attribute
from ammg.data.schema import Schema


def occurring(table: pl.DataFrame, schema: Schema) -> tuple[pl.DataFrame, Schema]:
    """Drop categories and labels of values that no record has.

    The dictionary of an Enum column is written to Parquet and Arrow files whole, and value labels to SPSS and Stata
    files: both would tell which rare value was suppressed. Declared missing codes stay, with their labels: they are
    the questionnaire's, not a person's.
    """
    narrowed = {name: _narrow(table[name]) for name, dtype in table.schema.items() if isinstance(dtype, pl.Enum)}
    table = table.with_columns(**narrowed)
    return table, schema.replace(*(_cleaned(a, table[a.name]) for a in schema if a.name in table.columns))


def _narrow(values: pl.Series) -> pl.Series:
    present = set(values.unique().drop_nulls().to_list())
    categories = [category for category in values.dtype.categories if category in present]  # type: ignore[attr-defined]
    return values if len(categories) == len(values.dtype.categories) else values.cast(pl.Enum(categories))  # type: ignore[attr-defined]


def _cleaned(attribute: Attribute, values: pl.Series) -> Attribute:
    codes = tuple(code for code in attribute.missing_codes if _fits(code, values.dtype))
    changes: dict[str, Any] = {"missing_codes": codes, "hierarchy": None}
    if attribute.value_labels:
        present = _present(values, attribute.value_labels)
        changes["value_labels"] = {
            value: label for value, label in attribute.value_labels.items() if value in present or value in codes
        }
    if attribute.categories is not None:
        present = _present(values, attribute.categories)
        kept = [i for i, category in enumerate(attribute.categories) if category in present]
        changes["categories"] = tuple(attribute.categories[i] for i in kept)
        if attribute.scores is not None:
            changes["scores"] = tuple(attribute.scores[i] for i in kept)
    return attribute.replace(**changes)


def _present(values: pl.Series, candidates: Any) -> set[Any]:
    """Which of the candidates some record has; candidates of another type than the column are had by nobody."""
    fitting = [candidate for candidate in candidates if _fits(candidate, values.dtype)]
    if values.dtype == pl.Categorical or isinstance(values.dtype, pl.Enum):
        values = values.cast(pl.String)
    wanted = pl.Series(fitting, dtype=values.dtype, strict=False)
    return set(values.filter(values.is_in(wanted.implode())).unique().to_list())


def _fits(value: Any, dtype: pl.DataType) -> bool:
    if isinstance(value, tuple):  # a range of missing codes
        return dtype.is_numeric()
    if isinstance(value, str):
        textual = dtype == pl.String or dtype == pl.Categorical or isinstance(dtype, pl.Enum)
        return textual or bool(dtype.is_numeric() and re.fullmatch(r"\.[a-z]", value))  # Stata's .a to .z
    if isinstance(value, bool):
        return dtype == pl.Boolean
    if isinstance(value, int | float):
        return dtype.is_numeric()
    return dtype.is_temporal()
