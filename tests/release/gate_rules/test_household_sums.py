"""Totals of households: those who live alone are not given back."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from stopped import noise, reasons

import ammg


def homes(number: int = 2_000) -> pl.DataFrame:
    """Every third household has one member."""
    rng = np.random.default_rng(5)
    home = np.repeat(np.arange(number), np.arange(number) % 3 + 1)
    table = pl.DataFrame({"home": home, "income": rng.lognormal(8, 1, len(home)).round()})
    return table.with_columns(household_income=pl.col("income").sum().over("home"))


def data(table: pl.DataFrame) -> ammg.Microdata:
    roles = {"household": "home", "confidential": ["income", "household_income"]}
    return ammg.Microdata(table).with_roles(**roles).with_levels(household=["home", "household_income"])


def test_incomes_of_those_who_live_alone_do_not_leave_as_the_income_of_their_household() -> None:
    told = reasons(noise("income").run(data(homes()), secret=1))
    assert "'household_income' was not masked and is the household total of 'income'" in told
    assert "gives it back in 667 households" in told
    both = [ammg.AdditiveNoise(columns=["income"]), ammg.AdditiveNoise(columns=["household_income"])]
    assert len(ammg.Pipeline(both).run(data(homes()), secret=1).release()) == len(homes())


def test_a_file_of_households_of_one_is_stopped() -> None:
    alone = homes().filter(pl.col("home") % 3 == 0)
    assert "'income'" in reasons(noise("income").run(data(alone), secret=1))


def test_wrong_totals_in_some_households_and_a_sample_hide_nothing() -> None:
    table = homes().with_columns(
        household_income=pl.when(pl.col("home") % 10 == 1).then(0.0).otherwise(pl.col("household_income"))
    )
    steps = [ammg.AdditiveNoise(columns=["income"]), ammg.Sampling(fraction=0.5)]
    assert "is the household total of 'income'" in reasons(ammg.Pipeline(steps).run(data(table), secret=1))


def test_one_masked_member_is_given_back_whatever_the_size_of_the_household() -> None:
    pairs = homes().filter(pl.col("home") % 3 == 1).with_columns(first=pl.int_range(pl.len()) % 2)
    step = ammg.AdditiveNoise(columns=["income"], where="first = 0")
    told = reasons(ammg.Pipeline([step]).run(data(pairs), secret=1))
    assert "gives it back in 667 households" in told


def test_households_without_singles_keep_their_total() -> None:
    together = homes().filter(pl.col("home") % 3 > 0)
    assert len(noise("income").run(data(together), secret=1).release()) == len(together)


def test_a_total_that_is_zero_for_most_is_no_sum_by_chance() -> None:
    rng = np.random.default_rng(1)
    n = 900
    rare = rng.random((2, n)) < 0.1
    dogs = np.repeat(np.where(rare[0], rng.integers(1, 5, n), 0), 2)
    gain = np.where(np.repeat(rare[1], 2), rng.normal(0, 9, 2 * n), 0.0)
    table = pl.DataFrame({"home": np.repeat(np.arange(n), 2), "income": gain, "household_income": dogs})
    assert len(noise("income").run(data(table), secret=1).release()) == 2 * n


@pytest.mark.parametrize("declared", [True, False])
def test_every_record_of_a_stream_is_looked_at(tmp_path: Path, declared: bool) -> None:
    table = homes(150_000)
    table.write_parquet(tmp_path / "homes.parquet")
    roles = {"household": "home", "confidential": ["income", "household_income"]}
    streamed = ammg.read(tmp_path / "homes.parquet", stream=True).with_roles(**roles)
    streamed = streamed.with_levels(household=["home", "household_income"])
    late = ammg.Pipeline([ammg.AdditiveNoise(columns=["income"], where="home >= 149000")])
    if declared:
        streamed = streamed.with_rules("household_income = sum of income")
        assert "is the household total of 'income'" in reasons(late.run(streamed, secret=1))
    else:
        assert "in 50,000 households" in reasons(noise("income").run(streamed, secret=1))
