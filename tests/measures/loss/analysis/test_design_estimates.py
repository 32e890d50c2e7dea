import numpy as np
import polars as pl
import pytest
from beside import found

import ammg
from ammg.kernels.loss.design_based import Design, mean, quantile, total

RNG = np.random.default_rng(11)
ALL = np.ones(8, dtype=bool)
Y = np.array([1.0, 3, 2, 6, 7, 9, 8, 4])
ONE = Design(np.ones(8), np.zeros(8, dtype=np.int64), np.arange(8))


def test_a_simple_mean_has_the_interval_of_the_textbook() -> None:
    estimate = mean(Y, ALL, ONE, 1.96)
    half = 1.96 * Y.std(ddof=1) / np.sqrt(8)
    assert estimate is not None
    assert (estimate.value, estimate.high - estimate.value) == pytest.approx((5, half))


def test_strata_and_clusters_by_hand() -> None:
    design = Design(np.full(8, 10.0), np.repeat([0, 1], 4), np.repeat([0, 1, 2, 3], 2))
    estimate = total(Y, ALL, design, 1.0)
    # Cluster totals 40, 80 and 160, 120: 2/1·(20² + 20²) twice.
    assert (estimate.value, estimate.high - estimate.value) == pytest.approx((400, np.sqrt(2 * 800 * 2)))


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    held = {"mean": 0, "quantile": 0}
    for _ in range(300):
        sample = RNG.lognormal(size=200)
        design = Design(np.ones(200), np.zeros(200, dtype=np.int64), np.arange(200))
        everyone = np.ones(200, dtype=bool)
        for name, truth, estimate in (
            ("mean", np.exp(0.5), mean(sample, everyone, design, 1.96)),
            ("quantile", 1.0, quantile(sample, everyone, 0.5, design, 1.96)),
        ):
            assert estimate is not None
            held[name] += estimate.low <= truth <= estimate.high
    assert all(0.89 <= count / 300 <= 0.99 for count in held.values())


def test_a_shift_by_half_an_interval_costs_half_of_it() -> None:
    y = RNG.normal(10, 1, 400)
    width = 2 * 1.959964 * y.std(ddof=1) / 20
    result = found(ammg.DesignEstimates(statistics=("mean",)), {"y": y}, {"y": y + width / 2})
    assert result.value == pytest.approx(0.5, abs=1e-3)


def test_weights_households_and_domains_are_used(survey: ammg.Microdata) -> None:
    masked = ammg.Pipeline([ammg.AdditiveNoise(columns=["income"], p=1.0)]).run(survey, 1)
    measure = ammg.DesignEstimates(columns="income", by="region", statistics=("mean", "quantile"))
    result = ammg.evaluate(masked, measure)["design_estimates"]
    regions = survey.table["region"].n_unique()
    assert len(result.tables["estimates"]) == regions * 4
    assert 0 < result.value < 1
    plain = ammg.Microdata(survey.table)
    same = ammg.evaluate(ammg.Pipeline([ammg.AdditiveNoise(columns=["income"], p=1.0)]).run(plain, 1), measure)
    assert same.value("design_estimates") != pytest.approx(result.value, rel=1e-3)


def test_an_estimate_that_the_release_does_not_have_counts_one() -> None:
    y = pl.Series([1.0, 2.0, 4.0])
    assert found(ammg.DesignEstimates(), {"y": y}, {"y": [None] * 3}).value == 1
