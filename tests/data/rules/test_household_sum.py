"""Totals of households."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.rules.household_sum import HouseholdSum
from ammg.errors import DataWarning, InputError

RULE = HouseholdSum.of("total", "income", "home")


def homes(number: int = 1_000) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    home = np.repeat(np.arange(number), rng.integers(1, 4, number))
    table = pl.DataFrame({"home": home, "income": rng.lognormal(8, 1, len(home)).round(2)})
    return table.with_columns(total=pl.col("income").sum().over("home"))


def test_members_of_a_household_whose_total_is_wrong_break_it() -> None:
    table = homes().with_columns(total=pl.when(pl.col("home") == 7).then(1.0).otherwise(pl.col("total")))
    broken = RULE.check(table)
    np.testing.assert_array_equal(broken, (table["home"] == 7).to_numpy())


def test_missing_members_count_as_nothing_and_missing_totals_break_nothing() -> None:
    table = pl.DataFrame({"home": [1, 1, 2, 3, 3], "income": [5.0, None, 1.0, None, None]})
    table = table.with_columns(total=pl.Series([5.0, 5.0, None, 8.0, 8.0]))
    assert not RULE.check(table).any()


def test_a_stream_counts_households_that_stand_in_two_chunks(tmp_path: Path) -> None:
    table = homes(70_000).sample(fraction=1, shuffle=True, seed=1)
    table = table.with_columns(total=pl.when(pl.col("home") < 9).then(1.0).otherwise(pl.col("total")))
    table.write_parquet(tmp_path / "homes.parquet")
    for data in (ammg.Microdata(table), ammg.read(tmp_path / "homes.parquet", stream=True)):
        with pytest.warns(DataWarning, match="does not hold in 9 households"):
            (rule,) = data.with_roles(household="home").with_rules("total = sum of income").schema.rules
        assert rule == RULE
        assert rule.broken == 9


def test_a_total_that_is_none_is_refused() -> None:
    table = homes().with_columns(total=pl.col("income").max().over("home") + 1)
    with pytest.raises(InputError, match="does not hold in 1,000 of the 1,000 households"):
        ammg.Microdata(table).with_rules("total = sum of income by home")
