import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.published import RankWindow

VALUES = np.random.default_rng(0).permutation(2000)


@pytest.mark.parametrize("samples", [1, 3])
def test_ranks_and_range_are_kept(samples) -> None:
    data = pl.DataFrame({"x": [*VALUES.tolist(), None]})
    masked = ammg.Pipeline([ammg.Resampling(samples=samples)]).run(data, secret=1).table["x"]
    assert masked[-1] is None
    ordered = masked.to_numpy()[:-1][np.argsort(VALUES)]
    assert (np.diff(ordered) >= 0).all()
    assert ordered.min() >= 0
    assert ordered.max() <= 1999
    assert (masked.drop_nulls().to_numpy() != VALUES).mean() > 0.5


def test_one_sample_gives_values_of_the_file_and_keeps_integers() -> None:
    masked = ammg.Pipeline([ammg.Resampling()]).run(pl.DataFrame({"x": VALUES}), secret=1).table["x"]
    assert masked.dtype == pl.Int64
    assert masked.is_in(VALUES.tolist()).all()


def test_averages_of_several_samples_are_fractions() -> None:
    masked = ammg.Pipeline([ammg.Resampling(samples=2)]).run(pl.DataFrame({"x": VALUES}), secret=1).table["x"]
    assert masked.dtype == pl.Float64


def test_a_description_tells_that_ranks_stay() -> None:
    run = ammg.Pipeline([ammg.Resampling()]).run(pl.DataFrame({"x": VALUES}), secret=1)
    assert run.published == (RankWindow(("x",), (0,)),)
