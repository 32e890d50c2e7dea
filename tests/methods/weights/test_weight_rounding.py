from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg


def test_weights_are_multiples_of_the_base_and_never_zero():
    rng = np.random.default_rng(1)
    table = pl.DataFrame({"w": rng.uniform(0.5, 40, 8000)})
    data = ammg.Microdata(table).with_roles(weight="w")
    masked = ammg.Pipeline([ammg.WeightRounding(base=5)]).run(data, secret=1).table["w"]
    assert set((masked % 5).to_list()) == {0.0}
    assert masked.min() == 5
    large = table["w"] >= 5
    assert masked.filter(large).sum() == pytest.approx(table["w"].filter(large).sum(), rel=0.01)
    assert (masked - table["w"]).abs().filter(large).max() < 5
