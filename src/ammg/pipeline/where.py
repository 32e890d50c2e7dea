"""Which records a step is limited to: a condition in SQL, or a risk threshold."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg import registry
from ammg.data.condition import parsed
from ammg.data.encoding import ID
from ammg.data.microdata import Microdata
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.engines.engine import EngineSource
from ammg.errors import InputError, NotDefined
from ammg.measures.measure import Measure
from ammg.methods.method import RiskAbove


def condition(where: str | RiskAbove | pl.Expr, source: EngineSource, original: Microdata) -> pl.Expr:
    """The condition as an expression over the source's columns."""
    if isinstance(where, RiskAbove):
        return _risky(where, source, original)
    if isinstance(where, pl.Expr):
        return where
    expression = parsed(where)
    source.schema.select(
        dict.fromkeys(expression.meta.root_names())
    )  # which names the nearest column to an unknown one
    return expression


def _by_record(measure: Measure, pair: Pair) -> NDArray[np.float64] | None:
    """The risk of each record; of real ones the larger of that with artificial records and without."""
    found = measure.measure(pair, Scenario()).people.by_record
    if found is None or pair.r == pair.t or not pair.r:
        return found
    alone = measure.measure(pair.without_simulated(), Scenario()).people.by_record
    assert alone is not None and len(alone) == pair.r, "a record of a source has an id of its own"
    everybody = found.copy()
    everybody[pair.link >= 0] = np.fmax(found[pair.link >= 0], alone)
    return everybody


def _risky(where: RiskAbove, source: EngineSource, original: Microdata) -> pl.Expr:
    measure = registry.find("measures", where.risk)()

    def risky(frame: pl.DataFrame) -> NDArray[np.bool_]:
        ids = frame[ID].to_numpy()
        pair = Pair(original, Microdata(frame.drop(ID), source.schema), np.where(ids < len(original), ids, -1))
        try:
            by_record = _by_record(measure, pair)
        except NotDefined as reason:
            raise InputError(f"Measure '{where.risk}' has no value to limit the step by: {reason}.") from None
        if by_record is None:
            raise InputError(
                f"Measure '{where.risk}' has no value for single records: choose another for the condition."
            )
        return np.asarray(by_record > where.above)

    return source.judged(risky)
