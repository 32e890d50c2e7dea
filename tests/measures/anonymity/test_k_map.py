from __future__ import annotations

import polars as pl
import pytest

import ammg
from ammg.data.scenario import Scenario

ANYBODY = Scenario()
POPULATION = {"a": ["x", "x", "x", "y", "y", "z"]}


def test_without_weights_the_original_file_is_the_population(sample_of):
    measured = ammg.KMap(k=3).measure(sample_of(POPULATION, [0, 3, 5], key=["a"]), ANYBODY)
    assert measured.value == pytest.approx(2 / 3)
    assert measured.people.by_record.tolist() == pytest.approx([1 / 3, 1 / 2, 1])


def test_weights_say_how_many_people_stand_behind_a_record(identity):
    pair = identity({"a": ["x", "x", "y"], "w": [2.0, 2.5, 9.0]}, key=["a"], weight=["w"])
    measured = ammg.KMap(k=5).measure(pair, ANYBODY)
    assert measured.value == pytest.approx(2 / 3)
    assert measured.facts["population"] == "weights"


def test_an_inclusion_probability_makes_classes_large_enough(identity):
    pair = identity({"a": ["x"] * 30 + ["y"]}, key=["a"])
    rare = ammg.KMap(k=5).measure(pair, Scenario(inclusion=0.1))
    assert rare.facts["violating"] == 1
    assert ammg.KMap(k=5).measure(pair, Scenario(inclusion=1e-4)).value == 0


def test_a_combination_that_nobody_has_counts_for_the_records_that_show_it(identity):
    pair = identity(POPULATION, key=["a"])
    for shown, violating in ((pl.lit("q"), 0.0), (pl.Series([f"q{i}" for i in range(6)]), 1.0)):
        masked = ammg.Microdata(pair.masked.table.with_columns(a=shown)).with_roles(key=["a"])
        measured = ammg.KMap(k=5).measure(ammg.data.pair.Pair(pair.original, masked, pair.link), ANYBODY)
        assert measured.value == violating
        assert measured.facts["nobody"] == 6


def test_suppressing_a_key_of_everybody_does_not_make_uniques_safe(identity):
    pair = identity({"a": list("abcdef"), "b": list("xyxyxy")}, key=["a", "b"])
    hidden = pair.masked.table.with_columns(b=pl.lit(None, dtype=pl.String))
    masked = ammg.Microdata(hidden, pair.masked.schema)
    assert ammg.KMap(k=2).measure(ammg.data.pair.Pair(pair.original, masked, pair.link), ANYBODY).value == 1
