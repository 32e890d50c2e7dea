from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined

ANYBODY = Scenario()


def numbers(table):
    return ammg.Microdata(pl.DataFrame(table, schema=[f"v{j}" for j in range(table.shape[1])]))


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
    assert set(learned.tables["ways"].lookup("way", "rate")) == {"nearest", "one_to_one"}


def test_a_category_that_stays_outweighs_one_that_is_random():
    rng = np.random.default_rng(1)
    street, mood = rng.permutation(200) // 2, rng.integers(0, 5, 200)
    before = pl.DataFrame({"street": street.astype(str), "mood": mood.astype(str), "x": rng.normal(size=200)})
    after = before.with_columns(
        mood=pl.Series(rng.integers(0, 5, 200).astype(str)), x=before["x"] + 0.3 * rng.normal(size=200)
    )
    pair = Pair(ammg.Microdata(before), ammg.Microdata(after), np.arange(200))
    assert ammg.ResidualLinkage().measure(pair, ANYBODY).value > 0.75


BY_CHANCE = [(20, 10, 8), (50, 10, 4), (200, 6, 3)]
MANY_TIMES = [pytest.param(*case, marks=pytest.mark.proof) for case in [(20, 10, 40), (50, 10, 20), (200, 6, 10)]]


@pytest.mark.parametrize(("n", "m", "times"), [*BY_CHANCE, *MANY_TIMES])
def test_a_release_that_has_nothing_to_do_with_the_original_is_found_by_chance(n, m, times):
    rng = np.random.default_rng(4)
    found = [
        ammg.ResidualLinkage()
        .measure(Pair(numbers(rng.normal(size=(n, m))), numbers(rng.normal(size=(n, m))), np.arange(n)), ANYBODY)
        .tables["ways"]
        .lookup("way", "rate")["one_to_one"]
        for _ in range(times)
    ]
    assert n * times * np.mean(found) < times + 3 * times**0.5  # one right link a file, and three deviations


def test_few_targets_are_not_found_because_they_are_few():
    rng = np.random.default_rng(5)
    pair = Pair(numbers(rng.normal(size=(500, 6))), numbers(rng.normal(size=(500, 6))), np.arange(500))
    measured = ammg.ResidualLinkage().measure(pair, Scenario(targets=(0, 1, 2, 3, 4)))
    assert measured.value < 0.5
    assert measured.facts["learned_from"] == 500


def test_heavy_tails_do_not_hide():
    """On the scale of the values a few large ones rule; ranks and logarithms tell people apart."""
    rng = np.random.default_rng(6)
    table = np.exp(1.5 * rng.normal(size=(400, 5)))
    pair = Pair(numbers(table), numbers(table * np.exp(0.3 * rng.normal(size=table.shape))), np.arange(400))
    measured = ammg.ResidualLinkage().measure(pair, ANYBODY)
    assert measured.value > 0.75
    assert "as_they_are" not in measured.facts["scales"]
    plain = ammg.DistanceLinkage(metric="mahalanobis", one_to_one=True).measure(pair, ANYBODY)
    assert plain.value < measured.value - 0.2


def test_few_pairs_teach_that_values_stay():
    rng = np.random.default_rng(7)
    table = rng.normal(size=(20, 10))
    pair = Pair(numbers(table), numbers(table + 0.3 * rng.normal(size=table.shape)), np.arange(20))
    assert ammg.ResidualLinkage().measure(pair, ANYBODY).value > 0.8


def test_less_than_ten_pairs_teach_nothing():
    table = np.random.default_rng(8).normal(size=(9, 2))
    with pytest.raises(NotDefined, match="9 records with a known origin are too few"):
        ammg.ResidualLinkage().measure(Pair.identity(numbers(table)), ANYBODY)


def test_constants_are_not_defined():
    same = ammg.Microdata(pl.DataFrame({"x": [1.0, 1.0]}))
    with pytest.raises(NotDefined, match="do not vary"):
        ammg.ResidualLinkage().measure(Pair.identity(same), ANYBODY)
