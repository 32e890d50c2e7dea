from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import ammg
from ammg.errors import InputError
from ammg.tables.controlled_rounding import round_table

tables = arrays.arrays(
    float, st.tuples(st.integers(1, 8), st.integers(1, 8)), elements=st.integers(-40, 400).map(float)
)


@settings(max_examples=100, deadline=None)
@given(table=tables, base=st.sampled_from([3.0, 5.0, 10.0]), seed=st.integers(0, 10**6))
def test_entries_and_all_margins_go_to_neighbouring_multiples_and_still_add_up(table, base, seed):
    rounded = round_table(table, base, np.random.default_rng(seed))
    for after, before in (
        (rounded.cells, table),
        (rounded.rows, table.sum(axis=1)),
        (rounded.columns, table.sum(axis=0)),
        (rounded.total, table.sum()),
    ):
        assert (np.mod(after, base) == 0).all()
        assert (np.abs(after - before) < base).all()
    assert (rounded.cells.sum(axis=1) == rounded.rows).all()
    assert rounded.rows.sum() == rounded.total


def test_rounding_is_unbiased_over_two_thousand_draws():
    rng = np.random.default_rng(0)
    table = rng.integers(0, 60, (6, 5)).astype(float)
    repeats, base = 2000, 5.0
    mean = sum(round_table(table, base, rng).cells for _ in range(repeats)) / repeats
    residual = table % base
    assert (np.abs(mean - table) <= 4 * np.sqrt(residual * (base - residual) / repeats) + 1e-12).all()


def test_only_finite_two_way_tables_are_taken():
    with pytest.raises(ValueError, match="two-way"):
        round_table(np.ones(3), 5, np.random.default_rng(0))
    with pytest.raises(ValueError, match="missing"):
        round_table(np.array([[np.nan]]), 5, np.random.default_rng(0))


@pytest.mark.parametrize("kind", ["lists", "polars", "pandas", "integers"])
def test_lists_and_tables_are_taken(kind):
    lists = [[1, 2, 7], [13, 4, 11]]
    given = {"lists": lists, "polars": pl.DataFrame(lists, orient="row"), "integers": np.array(lists)}
    given["pandas"] = given["polars"].to_pandas()
    rounded = ammg.tables.round_table(given[kind], 5, 1)
    assert (rounded.cells == round_table(np.array(lists, dtype=float), 5, np.random.default_rng(1)).cells).all()


@pytest.mark.parametrize(
    ("cells", "base", "message"),
    [
        ([1, 2], 5, "takes a two-way table; this one has 1 dimensions"),
        ([[1, 2], [3]], 5, "The table is not one of numbers"),
        ([["a", "b"]], 5, "The table is not one of numbers"),
        ([[1, None]], 5, "missing or infinite entries"),
        ([[1, 2]], 0, "The base is 0: it must be a positive number"),
        ([[1, 2]], float("nan"), "The base is nan"),
    ],
)
def test_what_is_no_table_is_refused_in_one_sentence(cells, base, message):
    with pytest.raises(InputError, match=message):
        round_table(cells, base)


def test_multiples_of_a_decimal_base_are_written_as_decimals():
    rounded = round_table([[0.1, 0.2], [0.3, 0.4]], 0.1)
    assert rounded.cells.tolist() == [[0.1, 0.2], [0.3, 0.4]]
    assert (rounded.rows.tolist(), rounded.columns.tolist(), rounded.total) == ([0.3, 0.7], [0.4, 0.6], 1.0)


def test_more_multiples_than_can_be_counted_and_a_base_that_is_no_number_are_refused():
    with pytest.raises(InputError, match=r"adds up to 1e\+17, too many multiples of 5 to count: raise the base"):
        round_table([[1e17, 2.0]], 5)
    with pytest.raises(InputError, match="The base is five: it must be a positive number"):
        round_table([[1.0]], "five")  # type: ignore[arg-type]
