from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined

ANYBODY = Scenario()


def simulated(n=1000, seed=0, link=0.9):
    """Illness follows the place for nine in ten; pay follows nothing."""
    rng = np.random.default_rng(seed)
    place = rng.integers(0, 4, n)
    ill = np.where(rng.random(n) < link, place, rng.integers(0, 4, n))
    table = pl.DataFrame(
        {"id": np.arange(n), "place": place.astype(str), "ill": ill.astype(str), "pay": rng.exponential(size=n)}
    )
    return ammg.Microdata(table).with_roles(identifier="id", key="place", confidential=["ill", "pay"])


def test_an_unmasked_file_gives_confidential_values_away():
    data = ammg.Microdata(pl.DataFrame({"a": np.arange(50.0), "b": [f"v{k % 5}" for k in range(50)]})).with_roles(
        key="a", confidential="b"
    )
    measured = ammg.AttributeInference().measure(Pair.identity(data), ANYBODY)
    assert measured.value == 1
    assert measured.tables["attributes"].lookup("attribute", "right") == {"b": 1.0}
    assert measured.tables["attributes"].lookup("attribute", "baseline")["b"] == pytest.approx(0.2)


def test_another_sample_of_the_population_teaches_what_is_known_anyway():
    """Released people are not those sought: what is learned is the dependence, and nothing about pay."""
    pair = Pair(simulated(seed=1), simulated(seed=2), np.full(1000, -1))
    measured = ammg.AttributeInference().measure(pair, ANYBODY)
    assert measured.tables["attributes"].lookup("attribute", "baseline")["ill"] == pytest.approx(0.25, abs=0.04)
    assert 0.5 < measured.tables["attributes"].lookup("attribute", "right")["ill"] < 0.95
    assert measured.by_column["pay"] < 0.05


def test_independent_attributes_are_not_inferred():
    pair = Pair(simulated(seed=1, link=0.0), simulated(seed=2, link=0.0), np.full(1000, -1))
    assert ammg.AttributeInference().measure(pair, ANYBODY).value < 0.06


def test_without_confidential_attributes_it_is_not_defined(census_data):
    with pytest.raises(NotDefined, match="no confidential attribute"):
        ammg.AttributeInference().measure(Pair.identity(census_data), ANYBODY)


def measured(table, masked):
    """The gain where people are known by their place."""
    original, released = (
        ammg.Microdata(pl.DataFrame(side)).with_roles(key="place", confidential="hidden") for side in (table, masked)
    )
    return ammg.AttributeInference().measure(Pair(original, released, np.arange(len(original))), ANYBODY).value


def test_the_value_that_most_of_the_nearest_records_show_is_guessed():
    """However many look alike: 8 in 10 are right in the north and 6 in 10 in the south, 4.4 in 10 by chance."""
    place = ["N"] * 200 + ["S"] * 300
    hidden = ["a"] * 20 + ["b"] * 160 + ["c"] * 20 + ["a"] * 60 + ["b"] * 60 + ["c"] * 180
    table = {"place": place, "hidden": hidden}
    assert measured(table, table) == pytest.approx(((160 + 180) / 500 - 220 / 500) / (1 - 220 / 500))


def test_hiding_the_value_of_some_look_alikes_does_not_hide_that_of_the_others():
    table = {"place": ["N"] * 100 + ["S"] * 100, "hidden": ["x"] * 80 + ["a"] * 20 + ["a"] * 80 + ["x"] * 20}
    half = table | {"hidden": [value if k % 2 else None for k, value in enumerate(table["hidden"])]}
    assert measured(table, half) == pytest.approx((0.8 - 0.5) / 0.5)


def test_an_outlier_that_is_masked_does_not_hide_numbers_that_are_not():
    """In its standard deviations all other numbers are near each other, so that guessing them would be no gain."""
    pay = np.random.default_rng(0).normal(100, 20, 300)
    pay[0] = 1e9
    table = {"place": np.arange(300), "hidden": pay}
    assert measured(table, table | {"hidden": np.where(pay > 1e6, 100.0, pay)}) > 0.95


def test_people_who_have_no_value_do_not_dilute_the_risk_of_those_who_have_one():
    table = {"place": np.arange(100), "hidden": [f"v{k % 5}" if k < 20 else None for k in range(100)]}
    assert measured(table, table) == 1


def test_which_of_equally_frequent_values_comes_first_decides_nothing():
    """Guessed from the margins alone, any of the three is as good, and right for 9, 3 or 12 people of 24."""
    truth = {"place": np.arange(24), "hidden": ["a"] * 9 + ["b"] * 3 + ["c"] * 12}
    shown = {"place": np.arange(24), "hidden": ["a"] * 8 + ["b"] * 8 + ["c"] * 8}
    for names in ("abc", "cba", "bca"):
        renamed = [
            side | {"hidden": [names["abc".index(value)] for value in side["hidden"]]} for side in (truth, shown)
        ]
        assert measured(*renamed) == pytest.approx((19 / 24 - 1 / 3) / (1 - 1 / 3))


@pytest.mark.parametrize("confidential", ["pay", "illness"])
def test_a_column_beside_a_masked_one_may_tell_it(confidential):
    rng = np.random.default_rng(0)
    pay, illness = np.round(rng.lognormal(8, 1, 300)), rng.choice(list("abcde"), 300)
    beside = {"class": (pay // 300).astype(int).astype(str), "ward": np.char.add(illness, rng.choice(["1", "2"], 300))}
    table = pl.DataFrame({"town": np.arange(300), "pay": pay, "illness": illness} | beside)
    before = ammg.Microdata(table).with_roles(key=["town"], confidential=[confidential])
    after = ammg.Microdata(table.with_columns(pl.col("pay", "illness").shuffle(seed=1)), before.schema)
    measure = ammg.AttributeInference()
    assert measure.measure(Pair(before, after, np.arange(300)), Scenario()).value > 0.8
    others = [
        ammg.Microdata(data.table.drop("class", "ward", "pay" if confidential == "illness" else "illness")).with_roles(
            key=["town"], confidential=[confidential]
        )
        for data in (before, after)
    ]
    assert measure.measure(Pair(*others, np.arange(300)), Scenario()).value < 0.1
