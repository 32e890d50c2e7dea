from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.pair import Pair
from ammg.data.published import Transition
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined

MATRIX = np.array([[0.8, 0.1, 0.1], [0.05, 0.9, 0.05], [0.3, 0.1, 0.6]])  # row = original, column = released


def changed(population, released, chosen, published, **roles):
    original, masked = (
        ammg.Microdata(pl.DataFrame(table)).with_roles(key=["a"], **roles) for table in (population, released)
    )
    return Pair(original, masked, np.array(chosen), published)


def test_the_formula_with_known_population():
    """F = (3, 2, 5), one record released per cell: r_k = [M_kk/(1-πM_kk)] / Σ F_j M_kj/(1-πM_kj), M = P'."""
    population = {"a": ["x"] * 3 + ["y"] * 2 + ["z"] * 5}
    pair = changed(population, {"a": ["x", "y", "z"]}, [0, 3, 5], (Transition(("a",), MATRIX, ("x", "y", "z")),))
    odds = MATRIX.T / (1 - 0.3 * MATRIX.T)
    exact = np.diagonal(odds) / (odds @ [3, 2, 5])
    measured = ammg.MisclassificationRisk().measure(pair, Scenario())
    assert measured.people.by_record == pytest.approx(exact)
    assert measured.value == pytest.approx(exact.mean())
    assert measured.facts["population"] == "original file"
    simple = np.diagonal(MATRIX) / (MATRIX.T @ [3, 2, 5])
    assert ammg.MisclassificationRisk(exact=False).measure(pair, Scenario()).people.by_record == pytest.approx(simple)


def test_changes_one_after_the_other_are_multiplied():
    population = {"a": ["x"] * 3 + ["y"] * 2 + ["z"] * 5}
    once = Transition(("a",), MATRIX, ("x", "y", "z"))
    pair = changed(population, {"a": ["x", "y", "z"]}, [0, 3, 5], (once, once))
    both = (MATRIX @ MATRIX).T
    expected = np.diagonal(both) / (both @ [3, 2, 5])
    assert ammg.MisclassificationRisk(exact=False).measure(pair, Scenario()).people.by_record == pytest.approx(expected)


def test_records_that_are_not_alone_are_not_matched():
    population = {"a": ["x"] * 3 + ["y"]}
    identity = Transition(("a",), np.eye(2), ("x", "y"))
    pair = changed(population, {"a": ["x", "x", "y"]}, [0, 1, 3], (identity,))
    assert ammg.MisclassificationRisk().measure(pair, Scenario()).people.by_record.tolist() == pytest.approx([0, 0, 1])


def test_random_changes_lower_the_risk_of_the_uniques():
    rng = np.random.default_rng(3)
    before = rng.choice(["x", "y", "z"], 400)
    after = [rng.choice(["x", "y", "z"], p=MATRIX["xyz".index(value)]) for value in before]
    other = rng.integers(0, 120, 400)
    original, masked = (
        ammg.Microdata(pl.DataFrame({"a": a, "b": other})).with_roles(key=["a", "b"]) for a in (before, after)
    )
    pair = Pair(original, masked, np.arange(400), (Transition(("a",), MATRIX, ("x", "y", "z")),))
    measured = ammg.MisclassificationRisk().measure(pair, Scenario())
    assert 0 < measured.value < 0.95 * ammg.KAnonymity(k=2).measure(Pair.identity(original), Scenario()).value
    assert measured.facts["changed"] == ("a",)


def test_without_a_known_population_a_model_stands_in():
    rng = np.random.default_rng(5)
    table = {"a": rng.choice(["x", "y", "z"], 300), "b": rng.integers(0, 150, 300)}
    shown = [rng.choice(["x", "y", "z"], p=MATRIX["xyz".index(value)]) for value in table["a"]]
    told = (Transition(("a",), MATRIX, ("x", "y", "z")),)
    data, released = (
        ammg.Microdata(pl.DataFrame(side)).with_roles(key=["a", "b"]) for side in (table, table | {"a": shown})
    )
    pair = Pair(data, released, np.arange(300), told)
    scenario = Scenario(inclusion=0.1)
    modelled = ammg.LogLinearRisk().measure(pair, scenario)
    measured = ammg.MisclassificationRisk().measure(pair, scenario)
    stay = np.array([MATRIX["xyz".index(value), "xyz".index(value)] for value in shown])
    alone = measured.people.by_record > 0
    assert np.allclose(measured.people.by_record[alone], (modelled.people.by_record * stay)[alone])
    assert "log-linear" in measured.facts["population"]


def test_a_transition_that_did_not_take_place_is_not_believed():
    data = ammg.Microdata(pl.DataFrame({"a": list("xyz") * 20})).with_roles(key=["a"])
    pair = Pair(data, data, np.arange(60), (Transition(("a",), MATRIX, ("x", "y", "z")),))
    with pytest.raises(NotDefined, match="more values are unchanged than the published transition allows"):
        ammg.MisclassificationRisk().measure(pair, Scenario())


def test_without_a_published_transition_it_is_not_defined(identity):
    with pytest.raises(NotDefined, match="no transition"):
        ammg.MisclassificationRisk().measure(identity({"a": [1]}, key=["a"]), Scenario())
