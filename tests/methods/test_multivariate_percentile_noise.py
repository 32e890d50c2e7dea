import numpy as np
import polars as pl
import pytest

import ammg
from ammg.errors import ColumnError

COLUMNS = ["PTOTVAL", "POTHVAL", "PEARNVAL"]


def test_parts_add_up_and_means_and_covariances_are_kept(census_data) -> None:
    run = ammg.Pipeline([ammg.MultivariatePercentileNoise(columns=COLUMNS)]).run(census_data, secret=1)
    before, after = (file.select(COLUMNS).to_numpy().astype(float) for file in (census_data.table, run.table))
    assert np.abs(after[:, 0] - after[:, 1] - after[:, 2]).max() < 1e-9 * np.abs(before).max()
    np.testing.assert_allclose(after.mean(axis=0), before.mean(axis=0), rtol=1e-9)
    np.testing.assert_allclose(np.cov(after.T), np.cov(before.T), rtol=1e-9)
    assert (after != before).mean() > 0.9


def test_groups_come_from_the_column_that_is_named(census_data) -> None:
    by_age = ammg.MultivariatePercentileNoise(columns=COLUMNS, by="AGI", groups=10)
    run = ammg.Pipeline([by_age]).run(census_data, secret=1)
    tenths = np.argsort(census_data.table["AGI"].to_numpy(), kind="stable").reshape(10, -1)
    for rows in tenths:
        before, after = census_data.table["PTOTVAL"].to_numpy()[rows], run.table["PTOTVAL"].to_numpy()[rows]
        assert after.mean() == pytest.approx(before.mean(), rel=1e-9)
    with pytest.raises(ColumnError, match="Did you mean 'AGI'"):
        ammg.Pipeline([ammg.MultivariatePercentileNoise(columns=COLUMNS, by="AGIX")]).run(census_data)


def test_missing_values_stay_and_the_owner_is_told(census_data) -> None:
    holes = census_data.table.select(
        pl.when(pl.int_range(pl.len()) % 9 != 0).then(pl.col("PTOTVAL")).alias("PTOTVAL"), "POTHVAL", "PEARNVAL"
    )
    run = ammg.Pipeline([ammg.MultivariatePercentileNoise()]).run(holes, secret=1)
    assert run.table["PTOTVAL"].null_count() == 120
    assert (run.table["POTHVAL"] != holes["POTHVAL"]).mean() > 0.9
    assert "in expectation" in " ".join(run.steps[0].notes)


def test_small_files_have_fewer_groups_and_the_owner_is_told() -> None:
    data = pl.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), schema=["a", "b"])
    run = ammg.Pipeline([ammg.MultivariatePercentileNoise()]).run(data, secret=1)
    assert run.steps[0].notes == ("5 percentile groups instead of 20: neighbours were merged",)


def test_a_file_smaller_than_one_group_should_be_is_one_and_the_owner_is_told() -> None:
    data = pl.DataFrame({"x": [1.0, 2.0, 4.0, 8.0, 9.0], "y": [3.0, 1.0, 5.0, 2.0, 9.0]})
    run = ammg.Pipeline([ammg.MultivariatePercentileNoise()]).run(data, secret=1)
    assert "5 records are fewer than the 10 that a group should have" in run.steps[0].notes
    assert (run.table["x"] != data["x"]).all()
