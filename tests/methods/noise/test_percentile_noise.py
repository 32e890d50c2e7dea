import numpy as np
import polars as pl
import pytest

import ammg
from ammg.errors import InputError

RNG = np.random.default_rng(0)
INCOME = np.where(RNG.random(3000) < 0.2, 0.0, RNG.lognormal(10, 1, 3000))
DATA = pl.DataFrame({"income": INCOME, "region": RNG.integers(0, 3, 3000)})


def masked(**options) -> np.ndarray:
    return (
        ammg.Pipeline([ammg.PercentileNoise(columns=["income"], **options)])
        .run(DATA, secret=1)
        .table["income"]
        .to_numpy()
    )


@pytest.mark.parametrize("delta", [0.2, 0.5, 1.0])
def test_mean_and_variance_are_kept_overall_and_nearly_in_every_tenth(delta) -> None:
    after = masked(delta=delta)
    assert after.mean() == pytest.approx(INCOME.mean(), rel=1e-9)
    assert after.var() == pytest.approx(INCOME.var(), rel=1e-9)
    order = np.argsort(INCOME, kind="stable")
    tenths = np.abs(after[order].reshape(10, -1).mean(axis=1) - INCOME[order].reshape(10, -1).mean(axis=1))
    assert tenths.max() < 0.02 * INCOME.mean()


def test_correlation_with_the_original_falls_with_delta() -> None:
    kept = [np.corrcoef(INCOME, masked(delta=delta, groups=1))[0, 1] for delta in (0.1, 0.5, 0.9)]
    np.testing.assert_allclose(kept, np.sqrt(1 - np.array([0.1, 0.5, 0.9]) ** 2), atol=1e-9)


def test_zeros_may_stay_in_a_group_of_their_own() -> None:
    after = masked(zeros="keep")
    assert (after[INCOME == 0] == 0).all()
    assert (after[INCOME > 0] != INCOME[INCOME > 0]).all()


def test_groups_that_are_too_small_are_merged_and_the_owner_is_told() -> None:
    data = pl.DataFrame({"x": np.arange(100.0)})
    run = ammg.Pipeline([ammg.PercentileNoise(groups=20, least=10)]).run(data, secret=1)
    assert run.steps[0].notes == ("'x': 10 percentile groups had fewer than 10 records and were merged",)


def test_means_are_kept_within_strata() -> None:
    after = masked(within=["region"])
    for region in range(3):
        rows = (DATA["region"] == region).to_numpy()
        assert after[rows].mean() == pytest.approx(INCOME[rows].mean(), rel=1e-9)


def test_weighted_means_are_kept_where_there_are_weights() -> None:
    weights = RNG.uniform(1, 5, 3000)
    data = ammg.Microdata(DATA.with_columns(weight=weights)).with_roles(weight="weight")
    after = ammg.Pipeline([ammg.PercentileNoise(columns=["income"])]).run(data, secret=1).table["income"].to_numpy()
    assert np.average(after, weights=weights) == pytest.approx(np.average(INCOME, weights=weights), rel=1e-9)


def test_random_ties_split_equal_values_and_missing_ones_stay() -> None:
    data = pl.DataFrame({"x": [1.0] * 50 + [2.0] * 50 + [None]})
    run = ammg.Pipeline([ammg.PercentileNoise(groups=3, ties="random", exact=False)]).run(data, secret=1)
    assert run.table["x"].null_count() == 1
    assert run.table["x"].drop_nulls().n_unique() > 2


def test_fewer_values_than_a_group_must_have_are_refused() -> None:
    with pytest.raises(
        InputError, match="'x' has 10 values to mask, fewer than the 100 required in a percentile group"
    ):
        ammg.Pipeline([ammg.PercentileNoise(least=100)]).run(pl.DataFrame({"x": np.arange(10.0)}), secret=1)


def test_groups_merged_within_strata_are_told_and_the_law_is_that_of_the_strata() -> None:
    rng = np.random.default_rng(4)
    part = np.repeat(np.arange(8), 50).astype(str)
    data = pl.DataFrame({"x": rng.lognormal(3, 1, 400), "part": part})
    run = ammg.Pipeline([ammg.PercentileNoise(columns=["x"], within=["part"])]).run(data, secret=1)
    # 50 records in 20 groups of 2 or 3: four neighbours make a group of ten.
    told = "'x': 120 percentile groups had fewer than 10 records and were merged, in 8 strata"
    assert run.steps[0].notes == (told,)
    change = (run.table["x"] - data["x"]).to_numpy()
    assert run.published[0].covariance[0, 0] == pytest.approx(np.mean(change**2), rel=0.15)
