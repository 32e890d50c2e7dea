"""Methods that only move values give them back to the last bit, whatever their type."""

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.errors import InputError

RNG = np.random.default_rng(0)
LARGE = pl.Series(RNG.permutation(2**53 + 1 + 2 * np.arange(60)))
DATA = pl.DataFrame(
    {
        "int64": LARGE,
        "uint64": LARGE.cast(pl.UInt64) * 1000 + 1,
        "negative": -LARGE,
        "float32": pl.Series(RNG.normal(size=60)).cast(pl.Float32),
        "nanoseconds": (LARGE * 100 + 1).cast(pl.Datetime("ns")),
        "decimal": pl.Series(RNG.permutation(60)).cast(pl.Decimal(10, 2)) / 8,
        "missing": LARGE.set(LARGE % 3 == 0, None),
    }
)
MOVING = [
    ammg.RankSwapping(p=20),
    ammg.DistributionRankSwapping(p=20),
    ammg.BucketRankSwapping(p=20),
    ammg.DataShuffling(),
]


@pytest.mark.parametrize("method", MOVING, ids=repr)
def test_every_column_is_a_permutation_of_itself_with_its_type(method) -> None:
    masked = ammg.Pipeline([method]).run(DATA, secret=1).table
    assert masked.schema == DATA.schema
    for name in DATA.columns:
        assert masked[name].sort().equals(DATA[name].sort())
        assert (masked[name] != DATA[name]).sum() > 20


def test_values_of_one_sample_are_values_of_the_file() -> None:
    numbers = DATA.drop("nanoseconds")
    masked = ammg.Pipeline([ammg.Resampling()]).run(numbers, secret=1).table
    assert masked.schema == numbers.schema
    for name in numbers.columns:
        assert masked[name].drop_nulls().is_in(numbers[name].implode()).all()
        assert masked[name].drop_nulls().n_unique() < numbers[name].drop_nulls().n_unique()


@pytest.mark.parametrize(
    "method",
    [ammg.Rounding(base=1000), ammg.Resampling(samples=2), ammg.AdditiveNoise(), ammg.TopCoding(share=0.1)],
    ids=repr,
)
def test_methods_that_calculate_refuse_whole_numbers_that_they_would_round(method) -> None:
    with pytest.raises(
        InputError, match=r"'int64' has whole numbers beyond 2\^53 such as 90071\d+, with which no method"
    ):
        ammg.Pipeline([method.on_columns(("int64",))]).run(DATA, secret=1)


def test_moved_values_stay_exact_within_strata() -> None:
    data = DATA.with_columns(zone=pl.Series(["a", "b", "c"] * 20))
    method = ammg.RankSwapping(columns=["int64"], within=["zone"], p=20)
    masked = ammg.Pipeline([method]).run(data, secret=1).table
    for zone in "abc":
        here = pl.col("zone") == zone
        assert masked.filter(here)["int64"].sort().equals(data.filter(here)["int64"].sort())
