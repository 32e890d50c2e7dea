"""Which records a step is limited to: a condition in SQL, or a risk threshold."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable

import numpy as np
import polars as pl

from ammg import registry
from ammg.data.encoding import ID
from ammg.data.microdata import Microdata
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.engines.engine import EngineSource
from ammg.errors import InputError, NotDefined
from ammg.methods.method import RiskAbove

_VALUE = r"""'(?:[^']|'')*'|"[^"]*"|[^\s'"(),]+"""
_QUOTED = re.compile(r"""'(?:[^']|'')*'|"[^"]*\"""")
_COLUMN = r"""[^\W\d]\w*|"[^"]*\""""
_IN = re.compile(
    rf"(^|\(|\bAND|\bOR|\bNOT)\s*({_COLUMN})\s+(NOT\s+)?IN\s*"
    rf"\(\s*((?:{_VALUE})(?:\s*,\s*(?:{_VALUE}))*)\s*\)",
    re.IGNORECASE,
)
_OF_MANY_RECORDS = re.compile(
    r"\b(avg|sum|count|min|max|median|quantile_cont|quantile_disc|stddev|stdev|variance|var|first|last|corr|"
    r"covar\w*|rank|dense_rank|row_number|lag|lead|over)\s*\(",
    re.IGNORECASE,
)


def condition(where: str | RiskAbove | pl.Expr, source: EngineSource, original: Microdata) -> pl.Expr:
    """The condition as an expression over the source's columns."""
    if isinstance(where, RiskAbove):
        return _risky(where, source, original)
    if isinstance(where, pl.Expr):
        return where
    expression = parsed(where)
    names = dict.fromkeys(expression.meta.root_names())
    numbers = [name for name in names if source.schema[name].is_numeric and _may_hold_nan(original, name)]
    return _with_nan_missing(expression, numbers) if numbers else expression


def _may_hold_nan(original: Microdata, name: str) -> bool:
    """What a step has written holds none, so only columns that were read as fractions do."""
    types = original.table.schema if original.streamed is None else original.streamed.schema
    return name in types and types[name].is_float()


def _with_nan_missing(expression: pl.Expr, names: Iterable[str]) -> pl.Expr:
    """The expression with NaN in these columns missing, as it is everywhere; polars takes it for the largest number."""
    text = expression.meta.serialize(format="json")
    for name in names:
        column = pl.col(name)
        text = text.replace(column.meta.serialize(format="json"), column.fill_nan(None).meta.serialize(format="json"))
    return pl.Expr.deserialize(io.StringIO(text), format="json")


def parsed(where: str) -> pl.Expr:
    """A condition in SQL as an expression that looks at one record at a time."""
    if many := _OF_MANY_RECORDS.search(_QUOTED.sub("''", where)):
        raise InputError(
            f'Condition "{where}" looks at many records at once ({many[1]}): write the number itself, age > 80.'
        )
    try:
        return pl.sql_expr(_IN.sub(_alternatives, where))
    except pl.exceptions.PolarsError as error:
        raise InputError(
            f"Condition \"{where}\" cannot be read: {error}. Write it as in SQL: age > 80 AND sex = 'f', with double "
            "quotes around names that are words of SQL or have blanks."
        ) from None


def _alternatives(found: re.Match[str]) -> str:
    """`a IN (1, 2)` as `(a = 1 OR a = 2)`: polars looks the column of an IN up before there is one."""
    before, column, negated, values = found.groups()
    equal = " OR ".join(f"{column} = {value}" for value in re.findall(_VALUE, values))
    return f"{before} {'NOT ' if negated else ''}({equal})"


def _risky(where: RiskAbove, source: EngineSource, original: Microdata) -> pl.Expr:
    measure = registry.find("measures", where.risk)()
    frame = source.collect()
    ids = frame[ID].to_numpy()
    pair = Pair(original, Microdata(frame.drop(ID), source.schema), np.where(ids < len(original), ids, -1))
    try:
        by_record = measure.measure(pair, Scenario()).by_record
    except NotDefined as reason:
        raise InputError(f"Measure '{where.risk}' has no value to limit the step by: {reason}.") from None
    if by_record is None:
        raise InputError(f"Measure '{where.risk}' has no value for single records: choose another for the condition.")
    chosen = pl.Series(ids[by_record > where.above])
    return pl.col(ID).is_in(chosen.implode())
