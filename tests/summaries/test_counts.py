"""Counts of categories and of missing values."""

import numpy as np
import polars as pl

from ammg.data.microdata import Microdata
from ammg.draws import CHUNK
from ammg.engines.local import LocalEngine, LocalSource
from ammg.summaries.counts import Counts, MissingCounts, MissingPatterns, NonzeroCounts


def source(table: pl.DataFrame, *names: str) -> LocalSource:
    return LocalEngine(1).open(Microdata(table)).with_categories(names)


def test_counts_are_those_of_the_dictionary_and_missing_ones_are_apart() -> None:
    table = pl.DataFrame({"sex": ["m", None, "f", "m"]})
    found = source(table, "sex").fold(Counts("sex", 2))
    assert found.counts.tolist() == [1, 2]  # f, m
    assert found.missing == 1


def test_a_category_that_nobody_has_counts_zero() -> None:
    table = pl.DataFrame({"sex": pl.Series(["m", "m"], dtype=pl.Enum(["f", "m", "x"]))})
    assert source(table, "sex").fold(Counts("sex", 3)).counts.tolist() == [0, 2, 0]


def test_weighted_counts_are_sums_of_weights() -> None:
    table = pl.DataFrame({"sex": ["m", None, "f", "m"], "w": [1.5, 4.0, 2.0, 3.0]})
    found = source(table, "sex").fold(Counts("sex", 2, "w"))
    assert found.counts.tolist() == [2.0, 4.5]
    assert found.missing == 4.0


def test_counts_of_nothing_are_zero() -> None:
    table = pl.DataFrame({"sex": pl.Series([], dtype=pl.String)})
    assert source(table, "sex").fold(Counts("sex", 0)).counts.tolist() == []
    assert source(table, "sex").fold(MissingCounts(("sex",))).tolist() == [0]


def test_chunks_add_up() -> None:
    codes = np.random.default_rng(1).integers(0, 5, CHUNK + 999)
    table = pl.DataFrame({"c": [f"{code}" for code in codes]})
    assert source(table, "c").fold(Counts("c", 5)).counts.tolist() == np.bincount(codes).tolist()


def test_missing_values_are_counted_in_numbers_and_in_categories() -> None:
    table = pl.DataFrame({"a": [1.0, None, float("nan")], "b": ["x", None, "y"]})
    assert source(table, "b").fold(MissingCounts(("a", "b"))).tolist() == [2, 1]


def test_values_that_are_not_zero_are_counted_or_weighed() -> None:
    table = pl.DataFrame({"x": [0.0, 1.0, None, 2.0], "w": [1.0, 2.0, 4.0, 8.0]})
    source = LocalEngine().open(Microdata(table))
    assert [part.tolist() for part in source.fold(NonzeroCounts(("x",)))] == [[3.0], [2.0]]
    assert [part.tolist() for part in source.fold(NonzeroCounts(("x",), "w"))] == [[11.0], [10.0]]


def test_patterns_of_missing_values_are_counted() -> None:
    table = pl.DataFrame({"a": [1.0, None, float("nan"), 2.0], "b": ["x", None, "y", "y"]})
    found = source(table, "b").fold(MissingPatterns(("a", "b")))
    assert found == {(True, True): 2, (False, False): 1, (False, True): 1}
