import numpy as np
import polars as pl
import pytest

import ammg
from ammg.errors import InputError

RANKS = np.random.default_rng(0).permutation(4000).astype(float)


def test_values_change_places_and_nothing_else() -> None:
    data = pl.DataFrame({"x": [*RANKS.tolist(), None], "y": [*(RANKS % 7).astype(int).tolist(), None]})
    masked = ammg.Pipeline([ammg.BucketRankSwapping()]).run(data, secret=1).table
    for name in data.columns:
        assert masked[name].sort().equals(data[name].sort())
        assert masked[name].dtype == data[name].dtype
        assert masked[name][-1] is None
    assert (masked["x"] != data["x"]).mean() > 0.99


def test_distances_exceed_any_window_of_p_percent_and_grow_with_p() -> None:
    def distances(p: float) -> np.ndarray:
        masked = ammg.Pipeline([ammg.BucketRankSwapping(p=p)]).run(pl.DataFrame({"x": RANKS}), secret=1).table
        return np.abs(masked["x"].to_numpy() - RANKS)

    assert distances(5).max() > 200
    assert 4 < distances(10).mean() / distances(2).mean() < 6


def test_ordered_categories_are_swapped_by_their_order() -> None:
    sizes = pl.Series("size", ["small", "medium", "large"] * 40, dtype=pl.Enum(["small", "medium", "large"]))
    data = ammg.Microdata(pl.DataFrame(sizes)).with_kinds(ordinal="size")
    masked = ammg.Pipeline([ammg.BucketRankSwapping(p=20)]).run(data, secret=1).table
    assert masked["size"].sort().to_list() == sizes.sort().to_list()
    assert (masked["size"] != sizes).any()


def test_values_are_swapped_within_strata() -> None:
    data = pl.DataFrame({"x": RANKS, "half": (RANKS > 2000).astype(int)})
    masked = ammg.Pipeline([ammg.BucketRankSwapping(columns=["x"], within=["half"])]).run(data, secret=1).table
    assert ((masked["x"] > 2000) == (data["half"] == 1)).all()


def test_a_p_that_moves_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="p = 1 moves nothing in 'x', which has 50 values: raise p"):
        ammg.Pipeline([ammg.BucketRankSwapping(p=1)]).run(pl.DataFrame({"x": range(50)}))


def test_the_window_of_a_description_holds_nearly_everybody_and_betrays_most(census_data: ammg.Microdata) -> None:
    pair = ammg.Pipeline([ammg.BucketRankSwapping(p=5)]).run(census_data, 1).pair
    found = ammg.evaluate(pair, ["rank_window_linkage"], before=False)["rank_window_linkage"]
    assert found.details["holds_truth"] > 0.99
    assert found.value > 0.85
