"""Smallest and largest values."""

import numpy as np
import polars as pl

from ammg.data.microdata import Microdata
from ammg.draws import CHUNK
from ammg.engines.local import LocalEngine
from ammg.summaries.extremes import Extremes


def extremes(table: pl.DataFrame) -> tuple[list[float], list[float]]:
    found = LocalEngine(1).open(Microdata(table)).fold(Extremes(tuple(table.columns)))
    return found.lowest.tolist(), found.highest.tolist()


def test_extremes_are_those_of_the_observed_values() -> None:
    table = pl.DataFrame({"a": [3, None, -2], "b": [0.5, float("nan"), float("inf")]})
    assert extremes(table) == ([-2.0, 0.5], [3.0, np.inf])


def test_a_column_without_values_has_none() -> None:
    lowest, highest = extremes(pl.DataFrame({"a": pl.Series([None], dtype=pl.Float64)}))
    assert np.isnan([*lowest, *highest]).all()
    assert np.isnan(extremes(pl.DataFrame({"a": pl.Series([], dtype=pl.Float64)}))[0]).all()


def test_chunks_without_values_do_not_hide_the_others() -> None:
    values = np.full(2 * CHUNK, np.nan)
    values[CHUNK + 5], values[CHUNK + 6] = 9, -1
    assert extremes(pl.DataFrame({"a": values})) == ([-1.0], [9.0])
