import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ammg
from ammg.data.published import RankWindow
from ammg.errors import InputError


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
    assert masked.published == (RankWindow(("x",), (9,), trade=True),)


@pytest.mark.parametrize(("p", "n", "reach"), [(5, 19, 0), (5, 20, 1), (5, 40, 1), (5, 41, 2), (14.1, 1000, 140)])
def test_partners_are_less_than_p_percent_away_but_neighbours_are_always_near(p: float, n: int, reach: int) -> None:
    assert ammg.RankSwapping(p=p).reach(n) == reach


def test_a_constant_column_stays_as_it_is() -> None:
    assert swapped(pl.DataFrame({"x": [7.0] * 50}), columns=["x"]).table["x"].to_list() == [7.0] * 50


SWAPS = [ammg.RankSwapping, ammg.BucketRankSwapping, ammg.DistributionRankSwapping]


@pytest.mark.parametrize("method", SWAPS)
def test_tails_become_their_mean_and_the_rest_is_swapped_as_without(method: type[ammg.RankSwapping]) -> None:
    values = np.random.default_rng(3).lognormal(3, 1, 200)
    table = pl.DataFrame({"x": values})
    plain, tails = (
        ammg.Pipeline([method(columns=["x"], p=10, **options)]).run(table, secret=1).table["x"].to_numpy()
        for options in ({}, {"top": 0.1, "bottom": 0.05})
    )
    order = np.sort(values)
    expected = np.where(plain >= order[180], order[180:].mean(), np.where(plain < order[10], order[:10].mean(), plain))
    np.testing.assert_allclose(tails, expected, rtol=1e-12)
    assert tails.sum() == pytest.approx(values.sum(), rel=1e-12)
    assert len(np.unique(tails)) == 200 - 19 - 9


def test_tails_are_those_of_each_stratum_and_of_the_observed_values() -> None:
    rng = np.random.default_rng(4)
    values = rng.permutation(200).astype(float)
    table = pl.DataFrame({"x": values, "zone": np.repeat(["a", "b"], 100)})
    table = table.with_columns(pl.when(pl.Series(np.arange(200) % 10 > 0)).then("x").alias("x"))
    masked = swapped(table, columns=["x"], p=10, within=["zone"], top=0.1).table
    assert masked["x"].is_null().equals(table["x"].is_null())
    for zone in ("a", "b"):
        before, after = (
            np.sort(frame.filter(pl.col("zone") == zone)["x"].drop_nulls().to_numpy()) for frame in (table, masked)
        )
        assert len(before) == 90
        np.testing.assert_allclose(after, np.r_[before[:81], np.full(9, before[81:].mean())], rtol=1e-12)


def test_whole_numbers_become_fractions_only_with_tails() -> None:
    data = pl.DataFrame({"x": np.arange(100)})
    assert swapped(data, columns=["x"]).table.schema["x"] == pl.Int64
    assert swapped(data, columns=["x"], top=0.04).table["x"].sort()[-1] == 97.5


@pytest.mark.parametrize("within", [(), ("zone",)])
def test_the_window_holds_everybody_whose_tail_became_a_mean(within: tuple[str, ...]) -> None:
    rng = np.random.default_rng(5)
    x = rng.integers(0, 60, 400).astype(float)  # ties, some of them where a tail begins
    table = pl.DataFrame({"x": x, "y": rng.normal(size=400), "zone": rng.choice(["a", "b"], 400)})
    step = ammg.RankSwapping(columns=["x", "y"], p=6, top=0.2, bottom=0.1, within=within)
    masked = ammg.Pipeline([step]).run(table, secret=1)
    known = ammg.Scenario(known=("x", "y", *within))
    found = ammg.RankWindowLinkage().measure(masked.pair, known).facts
    assert found["holds_truth"] == 1
    plain = ammg.Pipeline([step.model_copy(update={"top": 0.0, "bottom": 0.0})]).run(table, secret=1)
    assert found["candidates"] > ammg.RankWindowLinkage().measure(plain.pair, known).facts["candidates"]


def test_tails_that_have_no_mean_or_hide_nothing_are_refused() -> None:
    grades = ammg.Microdata(pl.DataFrame({"grade": ["a", "b", "c"] * 20})).with_kinds(ordinal="grade")
    with pytest.raises(InputError, match="Column 'grade' is ordinal, so its tails have no mean"):
        swapped(grades, columns=["grade"], p=20, top=0.1)
    days = pl.DataFrame({"day": pl.date_range(pl.date(2000, 1, 1), pl.date(2000, 2, 29), eager=True)})
    with pytest.raises(InputError, match="Column 'day' is date, so its tails have no mean"):
        swapped(days, columns=["day"], p=20, top=0.1)
    table = pl.DataFrame({"x": np.arange(50.0), "band": np.arange(50) // 10})
    with pytest.raises(InputError, match=r"bottom = 0\.02 is fewer than two of the 50 values of 'x'"):
        swapped(table, columns=["x"], bottom=0.02)
    linked = ammg.Microdata(table).with_links({"band": "x"})
    assert swapped(linked, columns=["x"]).table["band"].to_list() != table["band"].to_list()
    with pytest.raises(InputError, match="'band' is linked to 'x', whose tails become means"):
        swapped(linked, columns=["x"], top=0.1)
    with pytest.raises(InputError, match="top"):
        ammg.RankSwapping(top=0.7, bottom=0.4)
