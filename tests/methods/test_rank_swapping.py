import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ammg
from ammg.data.disclosure import RankWindow


def swapped(data: object, secret: int = 1, **options: object) -> ammg.Masked:
    return ammg.Pipeline([ammg.RankSwapping(**options)]).run(data, secret)


@settings(max_examples=15, deadline=None)
@given(st.integers(20, 200), st.integers(5, 50), st.integers(0, 1000))
def test_swapped_values_stay_within_p_percent_of_their_rank(n: int, p: int, secret: int) -> None:
    values = np.random.default_rng(secret).permutation(n).astype(float)
    masked = swapped(pl.DataFrame({"x": values}), secret, columns=["x"], p=p).table["x"].to_numpy()
    assert sorted(masked) == sorted(values)  # the values are their own ranks
    assert np.abs(masked - values).max() < max(p * n / 100, 2)


def test_masking_two_columns_gives_the_same_second_as_masking_it_alone(survey: ammg.Microdata) -> None:
    both = swapped(survey, columns=["wages", "income"]).table["income"]
    assert both.equals(swapped(survey, columns=["income"]).table["income"])


def test_dates_and_ordered_categories_are_swapped_too() -> None:
    days = pl.date_range(pl.date(2000, 1, 1), pl.date(2000, 2, 29), eager=True).alias("day")
    table = pl.DataFrame({"day": days, "grade": pl.Series(["a", "b", "c"] * 20, dtype=pl.Enum(["a", "b", "c"]))})
    data = ammg.Microdata(table).with_kinds(ordinal="grade")
    masked = swapped(data, columns=["day", "grade"], p=20).table
    assert masked.schema == table.schema
    assert masked["day"].sort().equals(days)
    assert masked["grade"].sort().equals(table["grade"].sort())


def test_the_window_is_what_a_description_tells() -> None:
    masked = swapped(pl.DataFrame({"x": np.arange(200.0)}), columns=["x"], p=5)
    assert masked.disclosed == (RankWindow(("x",), (9,)),)


@pytest.mark.parametrize(("p", "n", "reach"), [(5, 19, 0), (5, 20, 1), (5, 40, 1), (5, 41, 2), (14.1, 1000, 140)])
def test_partners_are_less_than_p_percent_away_but_neighbours_are_always_near(p: float, n: int, reach: int) -> None:
    assert ammg.RankSwapping(p=p).reach(n) == reach


def test_a_constant_column_stays_as_it_is() -> None:
    assert swapped(pl.DataFrame({"x": [7.0] * 50}), columns=["x"]).table["x"].to_list() == [7.0] * 50
