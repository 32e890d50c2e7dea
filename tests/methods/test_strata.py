"""A record that cannot be masked in its stratum is refused, never released silently."""

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.errors import InputError

METHODS = [
    ammg.RankSwapping,
    ammg.DistributionRankSwapping,
    ammg.BucketRankSwapping,
    ammg.DataShuffling,
    ammg.Resampling,
    ammg.PercentileNoise,
    ammg.MultivariatePercentileNoise,
]


def run(method, data: pl.DataFrame) -> pl.DataFrame:
    return ammg.Pipeline([method]).run(data, secret=1).table


@pytest.mark.parametrize("method", METHODS)
def test_a_value_alone_in_its_stratum_is_refused_with_the_number_of_such_strata(method) -> None:
    data = pl.DataFrame({"zone": ["a"] * 20 + ["b"] * 20 + ["c", "d", "e"], "x": np.arange(43.0)})
    with pytest.raises(
        InputError, match=r"3 of 5 strata by zone have .* of 'x' \(3 values in all\) .*name fewer columns"
    ):
        run(method(columns=["x"], within=["zone"]), data)


@pytest.mark.parametrize("method", METHODS)
def test_it_is_values_that_count_not_records(method) -> None:
    data = pl.DataFrame({"zone": ["a"] * 20 + ["b"] * 20, "x": [*map(float, range(21)), *[None] * 19]})
    with pytest.raises(InputError, match=r"1 of 2 strata by zone have .* of 'x' \(1 value in all\)"):
        run(method(columns=["x"], within=["zone"]), data)


@pytest.mark.parametrize("method", METHODS)
def test_a_file_with_one_value_is_one_such_stratum(method) -> None:
    with pytest.raises(InputError, match=r"'x' has (1 value.* to mask|only one distinct value)"):
        run(method(columns=["x"]), pl.DataFrame({"x": [5.0, None, None]}))


@pytest.mark.parametrize("method", METHODS)
def test_strata_without_any_value_have_nothing_to_mask(method) -> None:
    data = pl.DataFrame({"zone": ["a"] * 20 + ["b"] * 20, "x": [*map(float, range(20)), *[None] * 20]})
    masked = run(method(columns=["x"], within=["zone"]), data)["x"]
    assert masked.null_count() == 20
    assert (masked != data["x"]).sum() >= 8


def test_a_small_stratum_swaps_with_the_next_rank_however_small_p_is() -> None:
    rng = np.random.default_rng(0)
    data = pl.DataFrame({"zone": np.repeat(np.arange(100), 6), "x": rng.normal(size=600)})
    swapped = run(ammg.RankSwapping(columns=["x"], within=["zone"], p=1), data)
    ranks = [frame.with_columns(r=pl.col("x").rank().over("zone")) for frame in (data, swapped)]
    assert ((ranks[0]["r"] - ranks[1]["r"]).abs() == 1).all()


def test_percentile_noise_asks_for_its_least_group_in_every_stratum() -> None:
    data = pl.DataFrame({"zone": ["a"] * 30 + ["b"] * 8, "x": np.arange(38.0)})
    with pytest.raises(InputError, match=r"1 of 2 strata by zone have fewer than 10 values of 'x' .*or lower `least`"):
        run(ammg.PercentileNoise(columns=["x"], within=["zone"]), data)
    masked = run(ammg.PercentileNoise(columns=["x"], within=["zone"], least=8), data)
    assert (masked["x"] != data["x"]).all()


def test_zeros_that_stay_are_not_values_to_mask() -> None:
    data = pl.DataFrame({"zone": ["a"] * 30 + ["b"] * 3, "x": [*map(float, range(1, 31)), 0.0, 0.0, 0.0]})
    masked = run(ammg.PercentileNoise(columns=["x"], within=["zone"], zeros="keep"), data)
    assert (masked["x"][30:] == 0).all()


@pytest.mark.parametrize("missing", ["available", "by_pattern"])
def test_a_record_with_a_rare_pattern_is_masked_or_refused(missing) -> None:
    rng = np.random.default_rng(0)
    data = pl.DataFrame({"x": rng.normal(size=50), "y": [None, *rng.normal(size=49)]})
    method = ammg.MultivariatePercentileNoise(columns=["x", "y"], missing=missing)
    if missing == "by_pattern":
        with pytest.raises(InputError, match="'x' has 1 value to mask"):
            run(method, data)
    else:
        assert (run(method, data)["x"] != data["x"]).all()
