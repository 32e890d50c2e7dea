"""Which records a step is limited to: a condition in SQL, or a risk threshold."""

from __future__ import annotations

import polars as pl

from ammg import registry
from ammg.data.encoding import ID
from ammg.data.microdata import Microdata
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.engines.engine import EngineSource
from ammg.errors import InputError
from ammg.methods.method import RiskAbove


def condition(where: str | RiskAbove | pl.Expr, source: EngineSource, original: Microdata) -> pl.Expr:
    """The condition as an expression over the source's columns."""
    if isinstance(where, RiskAbove):
        return _risky(where, source, original)
    if isinstance(where, pl.Expr):
        return where
    try:
        expression = pl.sql_expr(where)
    except pl.exceptions.PolarsError as error:
        raise InputError(
            f"Condition \"{where}\" cannot be read: {error}. Write it as in SQL: age > 80 AND sex = 'f'."
        ) from None
    for name in expression.meta.root_names():
        _ = source.schema[name]
    return expression


def _risky(where: RiskAbove, source: EngineSource, original: Microdata) -> pl.Expr:
    measure = registry.find("measures", where.risk)()
    frame = source.collect()
    ids = frame[ID].to_numpy()
    link = ids.copy()
    link[ids >= len(original)] = -1
    pair = Pair(original, Microdata(frame.drop(ID), source.schema), link)
    by_record = measure.measure(pair, Scenario()).by_record
    if by_record is None:
        raise InputError(f"Measure '{where.risk}' has no value for single records: choose another for the condition.")
    chosen = pl.Series(ids[by_record > where.above])
    return pl.col(ID).is_in(chosen.implode())
