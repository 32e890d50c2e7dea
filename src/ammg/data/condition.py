"""A condition on single records, written as in SQL."""

from __future__ import annotations

import re

import polars as pl

from ammg.errors import InputError

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


_INSTEAD = {"&": "AND", "&&": "AND", "|": "OR", "||": "OR", ">>": ">", "<<": "<", "=>": ">=", "=<": "<=", "===": "="}
_OPERATOR = re.compile(r"&&?|\|\|?|>>|<<|=>|=<|===|~|!(?!=)")


def parsed(where: str) -> pl.Expr:
    """A condition in SQL as an expression that looks at one record at a time."""
    if many := _OF_MANY_RECORDS.search(_QUOTED.sub("''", where)):
        raise InputError(
            f'Condition "{where}" looks at many records at once ({many[1]}): write the number itself, as in age > 80.'
        )
    if wrong := _OPERATOR.search(_QUOTED.sub("''", where)):
        instead = _INSTEAD.get(wrong[0], "NOT")
        raise InputError(f'Condition "{where}" cannot be read: write {instead} instead of {wrong[0]}. {_EXAMPLE}')
    try:
        return pl.sql_expr(_IN.sub(_alternatives, where))
    except pl.exceptions.PolarsError as error:
        unknown = re.search(r"function '(\w+)'", str(error))
        reason = f": there is no function {unknown[1]}" if unknown else ""
        raise InputError(f'Condition "{where}" cannot be read{reason}. {_EXAMPLE}') from None


_EXAMPLE = (
    "Write a condition as in SQL: age > 80 AND sex = 'f'. Column names that contain blanks or are words of SQL go in "
    "double quotes."
)


def unfit(where: object, error: pl.exceptions.PolarsError) -> InputError:
    """The error for a condition that does not fit the data, with the reason in plain words."""
    said = str(error)
    if "date/datetime/time" in said:
        reason = "it compares a date with something else; a day is written DATE '2020-01-31'"
    elif "string" in said or "str" in said:
        reason = "it compares text with a number; text is written in single quotes, numbers without"
    elif "Boolean" in said or "bool" in said:
        reason = "it is not a comparison such as age > 80"
    else:
        reason = "its columns and values are of different types"
    return InputError(f'Condition "{where}" does not fit the data: {reason}.')


def _alternatives(found: re.Match[str]) -> str:
    """Write `a IN (1, 2)` as `(a = 1 OR a = 2)`: polars looks up the column of an IN before the frame exists."""
    before, column, negated, values = found.groups()
    equal = " OR ".join(f"{column} = {value}" for value in re.findall(_VALUE, values))
    return f"{before} {'NOT ' if negated else ''}({equal})"
