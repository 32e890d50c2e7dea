"""Exact quantiles against numpy's sort."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ammg.data.microdata import Microdata
from ammg.draws import CHUNK
from ammg.engines.local import LocalEngine, LocalSource
from ammg.summaries.quantiles import quantiles, select

SHARES = [0.0, 0.05, 0.25, 1 / 3, 0.5, 0.9, 1.0]


def source(values: object) -> LocalSource:
    return LocalEngine(1).open(Microdata(pl.DataFrame({"x": pl.Series(values, dtype=pl.Float64)})))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(allow_nan=False, width=64), min_size=1, max_size=20))
def test_quantiles_are_numpys_inverted_cdf(values: list[float]) -> None:
    # numpy interpolates 0·inf to NaN, so that the sorted values themselves are the reference.
    ordered = np.sort(values)
    expected = [ordered[max(0, int(np.ceil(share * len(values))) - 1)] for share in SHARES]
    assert quantiles(source(values), "x", SHARES).tolist() == expected


@pytest.mark.parametrize("n", [1, 2, 10, 1001])
def test_quantiles_of_many_are_numpys_inverted_cdf(n: int) -> None:
    values = np.random.default_rng(n).normal(0, 1e5, n)
    expected = np.quantile(values, SHARES, method="inverted_cdf")
    assert quantiles(source(values), "x", SHARES).tolist() == expected.tolist()


def test_infinities_and_both_zeros_have_their_places() -> None:
    values = [np.inf, -0.0, 0.0, -np.inf, -5e-324, 5e-324]
    found = select(source(values), "x", range(6))
    assert found.tolist() == [-np.inf, -5e-324, 0.0, 0.0, 5e-324, np.inf]


def test_ties_fill_their_ranks() -> None:
    assert select(source([2, 1, 2, 2, 3]), "x", [0, 1, 2, 3, 4]).tolist() == [1, 2, 2, 2, 3]


def test_missing_values_are_left_out() -> None:
    assert quantiles(source([3, None, 1, float("nan"), 2]), "x", [0.5, 1]).tolist() == [2, 3]


def test_nothing_observed_has_no_quantile() -> None:
    assert np.isnan(quantiles(source([None, None]), "x", [0.5])).all()
    assert np.isnan(quantiles(source([]), "x", [0.5])).all()


def test_chunks_add_up_to_the_whole() -> None:
    values = np.random.default_rng(4).lognormal(8, 2, CHUNK + 12_345)
    expected = np.quantile(values, SHARES, method="inverted_cdf")
    assert quantiles(source(values), "x", SHARES).tolist() == expected.tolist()


def test_integers_have_quantiles_too() -> None:
    table = pl.DataFrame({"x": pl.Series([7, 5, 6], dtype=pl.Int16)})
    assert quantiles(LocalEngine(1).open(Microdata(table)), "x", [0.5]).tolist() == [6]
