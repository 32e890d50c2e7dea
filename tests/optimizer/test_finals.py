"""The last round: what is chosen meets its limits under other secrets too."""

from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.pair import Pair
from ammg.draws import Secret
from ammg.measures.measure import Risk
from ammg.measures.measurement import Measurement
from ammg.optimizer.bench import Bench
from ammg.optimizer.finals import Finals
from ammg.optimizer.ladder import Problem
from ammg.optimizer.result import Candidate
from ammg.optimizer.storage import Journal
from ammg.registry import forget

RECIPE = (ammg.AdditiveNoise(columns=["age"]),)


@pytest.fixture
def risks() -> Iterator[list[float]]:
    """Figures that a risk gives one after the other, for each file of its own."""
    figures: list[float] = []
    known: dict[float, float] = {}

    class GivenRisk(Risk):
        """The next figure."""

        def measure(self, pair: Pair, scenario: ammg.Scenario) -> Measurement:
            text = float(np.sum(pair.masked.numbers("age") ** 2))
            if text not in known:
                known[text] = figures.pop(0)
            return Measurement(value=known[text])

    yield figures
    forget("measures", "given_risk")


def judged(figures: list[float], given: list[float]) -> Candidate:
    figures[:] = given
    data = ammg.Microdata(pl.DataFrame({"age": np.arange(200.0)})).with_roles(key="age")
    problem = Problem(data, (ammg.Limit("given_risk", 0.1),), ammg.Il1s(), ammg.Scenario(), Secret.known(1))
    bench = Bench(problem, Journal(None, ""), trials=5, processes=1)
    (verdict,) = bench.judge([RECIPE])
    found = Finals(bench, problem)(Candidate(0, verdict.recipe, verdict.risks, verdict.loss, verdict.pressure))
    assert found is not None
    return found


def test_a_recipe_that_is_safe_under_all_secrets_is_safe(risks: list[float]) -> None:
    found = judged(risks, [0.08, 0.07, 0.08, 0.09])
    assert found.is_safe
    assert found.draws["given_risk"] == (0.08, 0.07, 0.08, 0.09)


def test_a_limit_that_is_met_by_luck_is_broken(risks: list[float]) -> None:
    found = judged(risks, [0.08, 0.11, 0.09, 0.11])
    assert not found.is_safe
    assert len(found.draws["given_risk"]) == 4


def test_a_recipe_that_breaks_the_limit_under_the_first_secrets_is_given_up(risks: list[float]) -> None:
    found = judged(risks, [0.08, 0.13, 0.12, 0.0])
    assert not found.is_safe
    assert found.draws["given_risk"] == (0.08, 0.13, 0.12)
    assert risks == [0.0]
