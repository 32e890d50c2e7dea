"""A search that makes a score of risk and loss small."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.draws import Secret
from ammg.optimizer.ladder import Problem


@pytest.fixture(scope="module")
def data() -> ammg.Microdata:
    rng = np.random.default_rng(4)
    table = pl.DataFrame({"age": rng.integers(18, 90, 200), "wage": rng.lognormal(10, 0.7, 200).round(2)})
    return ammg.Microdata(table).with_roles(key=["age", "wage"])


def test_the_bound_of_a_score_needs_no_attack_and_is_never_above_it(data: ammg.Microdata) -> None:
    pair = ammg.Pipeline([ammg.RankSwapping(p=5)]).run(data, 1).pair
    score, scenario = ammg.Dscore(reidentification="distance_linkage"), ammg.Scenario()
    value = score.measure(pair, scenario).value
    assert value is not None
    assert 0 < score.bound(pair, scenario) <= value
    assert score.up_to(math.inf, pair, scenario) == value
    assert score.up_to(value / 2, pair, scenario) > value / 2


def test_the_recipe_of_least_score_is_chosen(data: ammg.Microdata) -> None:
    methods = ["rank_swapping", "additive_noise"]
    result = ammg.search(
        data, {"distance_linkage": 1.0}, "dscore", trials=25, methods=methods, steps=1, secret=1, processes=1
    )
    assert result.choice.loss == ammg.evaluate(result.chosen, "dscore").value("dscore")
    for p in (1, 5, 10, 20, 40):
        other = ammg.Pipeline([ammg.RankSwapping(p=p)]).run(data, result.chosen.secret)
        assert result.choice.loss <= ammg.evaluate(other, "dscore").value("dscore")


def test_a_recipe_that_another_score_beats_is_not_said_to_break_a_limit(data: ammg.Microdata) -> None:
    limits = (ammg.Limit("k_anonymity", 1.0), ammg.Limit("distance_linkage", 1.0))
    problem = Problem(data, limits, ammg.Dscore(), ammg.Scenario(), Secret.known(1))
    verdict = problem.judged((ammg.RankSwapping(p=5),), most=1e-3)
    assert (verdict.state, dict(verdict.risks)) == ("broken", {})
    assert verdict.pressure > 1
    assert problem.judged((ammg.RankSwapping(p=5),)).state == "safe"
