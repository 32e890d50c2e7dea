from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.errors import InputError


def test_weights_stay_within_p_and_keep_their_total():
    rng = np.random.default_rng(1)
    table = pl.DataFrame({"x": rng.normal(size=5000), "w": rng.choice([2.0, 5.0, 9.0], 5000)})
    masked = ammg.Pipeline([ammg.WeightNoise(p=0.2)]).run(ammg.Microdata(table).with_roles(weight="w"), secret=1).table
    ratio = masked["w"] / table["w"]
    assert 0.8 <= ratio.min() < 0.81 and 1.19 < ratio.max() <= 1.2
    assert masked["w"].sum() == pytest.approx(table["w"].sum(), rel=0.01)
    assert masked["x"].equals(table["x"])
    assert masked["w"].n_unique() > 4000


def test_a_file_without_weights_is_refused():
    with pytest.raises(InputError, match="masks the sampling weight"):
        ammg.Pipeline([ammg.WeightNoise()]).run(pl.DataFrame({"x": [1.0]}), secret=1)
