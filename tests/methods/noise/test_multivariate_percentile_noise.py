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
    assert "there are 5 records, fewer than the 10 that a group should have" in run.steps[0].notes
    assert (run.table["x"] != data["x"]).all()


def test_groups_merged_within_strata_are_told_and_the_law_is_that_of_the_strata() -> None:
    rng = np.random.default_rng(4)
    part = np.repeat(np.arange(8), 50).astype(str)
    data = pl.DataFrame({"x": rng.lognormal(3, 1, 400), "y": rng.normal(size=400), "part": part})
    step = ammg.MultivariatePercentileNoise(columns=["x", "y"], within=["part"])
    run = ammg.Pipeline([step]).run(data, secret=1)
    # 50 records in 20 groups of 2 or 3: four neighbours make a group of ten.
    assert run.steps[0].notes == ("40 percentile groups instead of 160: neighbours were merged, in 8 strata",)
    change = (run.table["x"] - data["x"]).to_numpy()
    assert run.published[0].covariance[0, 0] == pytest.approx(np.mean(change**2), rel=0.15)


def test_strata_too_small_for_exact_moments_are_told() -> None:
    rng = np.random.default_rng(4)
    data = pl.DataFrame({**{name: rng.normal(size=40) for name in "abcdef"}, "part": ["x", "y"] * 20})
    step = ammg.MultivariatePercentileNoise(columns=list("abcdef"), within=["part"], groups=1)
    few = data.filter((pl.col("part") == "x") | (pl.int_range(40) < 24))  # 20 records of x, 12 of y
    assert ammg.Pipeline([step]).run(data, secret=1).steps[0].notes == ()
    assert ammg.Pipeline([step]).run(few, secret=1).steps[0].notes == (
        "1 of 2 percentile groups have fewer than 13 records and keep their moments in expectation, not exactly",
    )


def test_the_law_that_is_told_is_that_of_the_observed_values() -> None:
    rng = np.random.default_rng(6)
    values = rng.multivariate_normal([5, 9], [[2, 1], [1, 3]], 9000)
    values[::3, 0] = np.nan
    data = pl.DataFrame(values, schema=["x", "y"], nan_to_null=True)
    run = ammg.Pipeline([ammg.MultivariatePercentileNoise(groups=1)]).run(data, secret=1)
    change = run.table.to_numpy() - values
    complete = change[~np.isnan(change).any(axis=1)]
    told = run.published[0].covariance
    np.testing.assert_allclose(np.diag(told), np.nanmean(change**2, axis=0), rtol=0.05)
    assert told[0, 1] == pytest.approx(np.mean(complete[:, 0] * complete[:, 1]), rel=0.15)
