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
    ways = {"nearest", "one_to_one", "most_probable_of_matchings"}
    assert set(learned.tables["ways"].lookup("way", "rate")) == ways


def test_released_numbers_that_are_unknown_tell_of_known_ones_that_they_hang_together_with():
    rng = np.random.default_rng(5)
    level = rng.normal(size=400)
    before = np.column_stack([level, *(level + 0.05 * rng.normal(size=400) for _ in range(6))])
    after = before + 0.1 * rng.normal(size=before.shape)
    known = Scenario(known=("v0",))
    measured = ammg.ResidualLinkage().measure(Pair(numbers(before), numbers(after), np.arange(400)), known)
    alone = Pair(numbers(before[:, :1]), numbers(after[:, :1]), np.arange(400))
    assert measured.facts["unknown_columns_used"]
    assert measured.value > 1.4 * ammg.ResidualLinkage().measure(alone, known).value


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
    with pytest.raises(NotDefined, match="9 records of known origin are too few"):
        ammg.ResidualLinkage().measure(Pair.identity(numbers(table)), ANYBODY)


def test_constants_are_not_defined():
    same = ammg.Microdata(pl.DataFrame({"x": [1.0, 1.0]}))
    with pytest.raises(NotDefined, match="do not vary"):
        ammg.ResidualLinkage().measure(Pair.identity(same), ANYBODY)


def _beside(rng, n=400):
    town, sex, school = rng.integers(0, 40, n), rng.integers(0, 2, n), rng.integers(0, 6, n)
    keys = {"region": [f"r{t % 10}" for t in town], "sex": sex.astype(str), "school": school.astype(str)}
    table = pl.DataFrame(keys | {"town": [f"t{t}" for t in town], "weight": 10.5 + 7 * sex + 1.3 * school})
    return ammg.Microdata(table).with_roles(key=[*keys], weight="weight")


def test_a_town_and_a_weight_tell_the_masked_region_and_school():
    data = _beside(np.random.default_rng(0))
    step = ammg.Pram(columns=("region", "sex", "school"), stay=0.3, pattern="uniform")
    pair = ammg.Pipeline([step]).run(data, secret="s" * 32).pair
    keys = data.schema.keys
    alone = Pair(*(ammg.Microdata(files.table.select(keys)) for files in (data, pair.masked)), pair.link)
    assert ammg.ResidualLinkage().measure(pair, Scenario()).value > 0.2  # a quarter at most: 120 cells for 400 people
    assert ammg.ResidualLinkage().measure(alone, Scenario()).value < 0.05


def _undescribed(original, masked):
    before, after = (ammg.Microdata(pl.DataFrame(columns, schema=list("abc"))) for columns in (original, masked))
    return Pair(before, after, np.arange(len(before)))


def test_numbers_that_were_given_other_values_one_by_one_are_translated():
    rng = np.random.default_rng(1)
    original = rng.integers([18, 150, 0], [80, 200, 8], (400, 3))
    masked = original.copy()
    for column in masked.T:
        values = np.unique(column)
        column[:] = rng.permutation(values)[np.searchsorted(values, column)]
    assert ammg.ResidualLinkage().measure(_undescribed(original, masked), Scenario()).value > 0.9


@pytest.mark.parametrize("unit", [1.0, 2.54])
def test_last_digits_that_noise_keeps_find_people(unit):
    rng = np.random.default_rng(2)
    original = np.round(rng.lognormal(3, 1, (300, 3)), 3)
    masked = original + rng.integers(-200, 200, original.shape)
    assert ammg.ResidualLinkage().measure(_undescribed(unit * original, unit * masked), Scenario()).value > 0.9


def test_nothing_is_learned_from_columns_that_tell_nothing():
    rng = np.random.default_rng(3)
    rates = []
    for _ in range(5):
        data, other = _beside(rng, 150), _beside(rng, 150)
        rates.append(ammg.ResidualLinkage().measure(Pair(data, other, np.arange(150)), Scenario()).value)
    assert np.mean(rates) * 150 < 1 + 5 / np.sqrt(5)


def test_columns_that_were_folded_mirrored_or_moved_hide_nobody() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(300, 5))
    names = [f"v{j}" for j in range(5)]
    data = ammg.Microdata(pl.DataFrame(values, schema=names)).with_roles(key=names)
    for masked in (np.abs(values), np.abs(np.roll(values, 1, axis=1)), np.sin(3 * values)):
        order = rng.permutation(300)
        release = ammg.Microdata(pl.DataFrame(masked[order], schema=names), data.schema)
        assert (ammg.ResidualLinkage().measure(Pair(data, release, order), Scenario()).value or 0) > 0.9
