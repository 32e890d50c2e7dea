from __future__ import annotations

import pytest

import ammg
from ammg.data.scenario import Scenario
from ammg.errors import InputError

ANYBODY = Scenario()
TABLE = {
    "age": ["old", "old", "young", "young", "young"],
    "sex": ["f", "f", "f", "m", "m"],
    "job": ["a", "b", "a", "a", "a"],
}


def test_combinations_are_told_down_to_the_record(identity):
    measured = ammg.UnsafeCombinations(k=2, dimension=2).measure(identity(TABLE, key=["age", "sex", "job"]), ANYBODY)
    assert measured.value == pytest.approx(3 / 5)
    assert measured.people.by_record.tolist() == [1, 1, 1, 0, 0]
    (chart,) = measured.charts
    assert (chart.x, chart.series["combinations"]) == ((1, 2), (1, 4))
    assert measured.people.examples["rarest"] == (
        "job b: 1 record",
        "age young, sex f: 1 record",
        "age old, job a: 1 record",
        "age old, job b: 1 record",
        "sex f, job b: 1 record",
    )


def test_categories_are_counted_by_dimension_and_rare_ones_kept_apart(identity):
    measured = ammg.UnsafeCombinations(k=2, dimension=2).measure(identity(TABLE, key=["age", "sex", "job"]), ANYBODY)
    table = measured.tables["categories"]
    rows = zip(*(table[name] for name in table.columns), strict=True)
    assert set(rows) == {("sex f", 2, 0, 2), ("age young", 1, 0, 1), ("job a", 1, 0, 1)}
    assert measured.people.examples["categories"] == ("job b: 3", "age old: 2")


def test_identification_levels_choose_the_combinations(identity):
    pair = identity(TABLE, key=["age", "sex", "job"])
    measured = ammg.UnsafeCombinations(k=2, levels={"age": 1, "sex": 2}).measure(pair, ANYBODY)
    assert measured.people.examples["rarest"] == ("age young, sex f: 1 record",)


def test_a_level_for_an_unknown_attribute_is_refused(identity):
    with pytest.raises(InputError, match="Did you mean 'age'"):
        ammg.UnsafeCombinations(levels={"agee": 1}).measure(identity(TABLE, key=["age", "sex", "job"]), ANYBODY)


def test_a_suppressed_value_makes_no_combination(identity):
    pair = identity({"a": ["x", "x", None]}, key=["a"])
    assert ammg.UnsafeCombinations(k=2).measure(pair, ANYBODY).value == 0
