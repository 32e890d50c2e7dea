from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined

ANYBODY = Scenario()


def test_composing_does_not_hide(census_data):
    """Noise after shrinking defeats the plain distance, not the intruder who has seen how records move."""
    rng = np.random.default_rng(0)
    table = census_data.block(census_data.columns).matrix(census_data.columns)
    moved = -0.3 * table + 1000 + 0.02 * table.std(axis=0) * rng.normal(size=table.shape)
    pair = Pair(census_data, ammg.Microdata(pl.DataFrame(moved, schema=census_data.columns)), np.arange(1080))
    assert ammg.DistanceLinkage().measure(pair, ANYBODY).value < 0.05
    assert ammg.ResidualLinkage().measure(pair, ANYBODY).value > 0.95


def test_it_is_as_good_as_knowing_the_noise(census_data):
    pair = ammg.Pipeline([ammg.CorrelatedNoise(d=0.1)]).run(census_data, secret="0" * 32).pair
    learned = ammg.ResidualLinkage().measure(pair, ANYBODY)
    told = ammg.NoiseLawLinkage().measure(pair, ANYBODY)
    assert learned.value == pytest.approx(told.value, abs=0.02)
    assert set(learned.details["rates"]) == {"nearest", "one_to_one"}


def test_a_category_that_stays_outweighs_one_that_is_random():
    rng = np.random.default_rng(1)
    street, mood = rng.permutation(200) // 2, rng.integers(0, 5, 200)
    before = pl.DataFrame({"street": street.astype(str), "mood": mood.astype(str), "x": rng.normal(size=200)})
    after = before.with_columns(
        mood=pl.Series(rng.integers(0, 5, 200).astype(str)), x=before["x"] + 0.3 * rng.normal(size=200)
    )
    pair = Pair(ammg.Microdata(before), ammg.Microdata(after), np.arange(200))
    assert ammg.ResidualLinkage().measure(pair, ANYBODY).value > 0.75


def test_constants_are_not_defined():
    same = ammg.Microdata(pl.DataFrame({"x": [1.0, 1.0]}))
    with pytest.raises(NotDefined, match="do not vary"):
        ammg.ResidualLinkage().measure(Pair.identity(same), ANYBODY)
