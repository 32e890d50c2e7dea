"""Methods that only move values give them back to the last bit, whatever their type; what swaps by rank keeps to."""

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
WITHOUT_LIMIT = [ammg.DistributionRankSwapping, ammg.BucketRankSwapping]
SWAPPING = [ammg.RankSwapping, *WITHOUT_LIMIT]
MOVING = [*(method(p=20) for method in SWAPPING), ammg.DataShuffling()]
RANKS = np.random.default_rng(0).permutation(4000).astype(float)


@pytest.mark.parametrize("method", MOVING, ids=repr)
def test_every_column_is_a_permutation_of_itself_with_its_type(method) -> None:
    masked = ammg.Pipeline([method]).run(DATA, secret=1).table
    assert masked.schema == DATA.schema
    for name in DATA.columns:
        assert masked[name].sort().equals(DATA[name].sort())
        assert (masked[name] != DATA[name]).sum() > 20
        assert masked[name].is_null().equals(DATA[name].is_null())


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
        InputError, match=r"'int64' has whole numbers beyond 2\^53, such as 90071\d+, which methods cannot"
    ):
        ammg.Pipeline([method.on_columns(("int64",))]).run(DATA, secret=1)


def test_moved_values_stay_exact_within_strata() -> None:
    data = DATA.with_columns(zone=pl.Series(["a", "b", "c"] * 20))
    method = ammg.RankSwapping(columns=["int64"], within=["zone"], p=20)
    masked = ammg.Pipeline([method]).run(data, secret=1).table
    for zone in "abc":
        here = pl.col("zone") == zone
        assert masked.filter(here)["int64"].sort().equals(data.filter(here)["int64"].sort())


@pytest.mark.parametrize("method", SWAPPING)
def test_nearly_every_value_changes_places(method) -> None:
    masked = ammg.Pipeline([method()]).run(pl.DataFrame({"x": RANKS}), secret=1).table
    assert (masked["x"] != pl.Series(RANKS)).mean() > 0.99


@pytest.mark.parametrize("method", WITHOUT_LIMIT)
def test_distances_exceed_any_window_of_p_percent_and_grow_with_p(method) -> None:
    def distances(p: float) -> np.ndarray:
        masked = ammg.Pipeline([method(p=p)]).run(pl.DataFrame({"x": RANKS}), secret=1).table
        return np.abs(masked["x"].to_numpy() - RANKS)

    assert distances(5).max() > 200
    assert 4 < distances(10).mean() / distances(2).mean() < 6


@pytest.mark.parametrize("method", SWAPPING)
def test_ordered_categories_are_swapped_by_their_order(method) -> None:
    sizes = pl.Series("size", ["small", "medium", "large"] * 40, dtype=pl.Enum(["small", "medium", "large"]))
    data = ammg.Microdata(pl.DataFrame(sizes)).with_kinds(ordinal="size")
    masked = ammg.Pipeline([method(p=20)]).run(data, secret=1).table
    assert masked["size"].sort().to_list() == sizes.sort().to_list()
    assert (masked["size"] != sizes).any()


@pytest.mark.parametrize("method", SWAPPING)
def test_values_are_swapped_within_strata(method) -> None:
    data = pl.DataFrame({"x": RANKS, "half": (RANKS > 2000).astype(int)})
    masked = ammg.Pipeline([method(columns=["x"], within=["half"])]).run(data, secret=1).table
    assert ((masked["x"] > 2000) == (data["half"] == 1)).all()
    assert (masked["x"] != data["x"]).mean() > 0.99


@pytest.mark.parametrize("method", SWAPPING)
def test_a_p_that_moves_nothing_is_refused(method) -> None:
    with pytest.raises(InputError, match="p = 1 changes nothing in 'x', which has 50 values: raise p"):
        ammg.Pipeline([method(p=1)]).run(pl.DataFrame({"x": range(50)}))
