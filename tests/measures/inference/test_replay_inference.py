from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario

ANYBODY = Scenario()


@pytest.fixture(scope="module")
def people(census_data):
    names = census_data.columns
    return ammg.Microdata(census_data.table[:400]).with_roles(key=names[:10], confidential=names[10:])


def test_replays_give_confidential_values_away_that_distances_do_not(people):
    step = ammg.PercentileNoise(columns=tuple(people.columns[:10]), delta=1, groups=5)
    pair = ammg.Pipeline([step]).run(people, secret=1).pair
    by_distance = ammg.AttributeInference().measure(pair, ANYBODY).value
    assert ammg.ReplayInference().measure(pair, ANYBODY).value > by_distance + 0.2


def test_a_recipe_without_chance_gives_them_away_exactly(people):
    pair = (
        ammg.Pipeline([ammg.Jpeg(columns=tuple(people.columns[:10]), order="principal", quality=30)])
        .run(people, secret=1)
        .pair
    )
    assert ammg.ReplayInference().measure(pair, ANYBODY).value > 0.9


def test_independent_confidential_values_are_guessed_no_better_than_from_the_margins(people):
    pair = ammg.Pipeline([ammg.AdditiveNoise(columns=tuple(people.columns[:10]), p=0.5)]).run(people, secret=1).pair
    mixed = pair.masked.table.with_columns(pl.col(name).shuffle(seed=1) for name in people.columns[10:])
    other = Pair(pair.original, ammg.Microdata(mixed, pair.masked.schema), pair.link, pair.published, again=pair.again)
    assert ammg.ReplayInference().measure(other, ANYBODY).value < 0.05


def test_without_a_recipe_the_nearest_record_is_taken(people):
    pair = ammg.Pipeline([ammg.AdditiveNoise(columns=tuple(people.columns[:10]), p=0.5)]).run(people, secret=1).pair
    bare = Pair(pair.original, pair.masked, pair.link, pair.published)
    assert ammg.ReplayInference().measure(bare, ANYBODY).value == pytest.approx(
        ammg.AttributeInference().measure(bare, ANYBODY).value
    )
    assert np.isfinite(ammg.ReplayInference().measure(pair, ANYBODY).value)
