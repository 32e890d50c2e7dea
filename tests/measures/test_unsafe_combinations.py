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
    assert measured.by_record.tolist() == [1, 1, 1, 0, 0]
    assert measured.details["by_dimension"] == {1: 1, 2: 4}
    assert measured.details["rarest"] == [
        "job b: 1 record",
        "age young, sex f: 1 record",
        "age old, job a: 1 record",
        "age old, job b: 1 record",
        "sex f, job b: 1 record",
    ]
    assert measured.details["categories"][0] == {"category": "job b", "combinations": 3, "by_dimension": [1, 2]}


def test_identification_levels_choose_the_combinations(identity):
    pair = identity(TABLE, key=["age", "sex", "job"])
    measured = ammg.UnsafeCombinations(k=2, levels={"age": 1, "sex": 2}).measure(pair, ANYBODY)
    assert measured.details["rarest"] == ["age young, sex f: 1 record"]


def test_a_level_for_an_unknown_attribute_is_refused(identity):
    with pytest.raises(InputError, match="Did you mean 'age'"):
        ammg.UnsafeCombinations(levels={"agee": 1}).measure(identity(TABLE, key=["age", "sex", "job"]), ANYBODY)


def test_a_suppressed_value_makes_no_combination(identity):
    pair = identity({"a": ["x", "x", None]}, key=["a"])
    assert ammg.UnsafeCombinations(k=2).measure(pair, ANYBODY).value == 0
