"""The ladder spares work and never lets a recipe pass that breaks a limit."""

from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.pair import Pair
from ammg.draws import Secret
from ammg.measures.measure import Loss, Risk
from ammg.measures.measurement import Measurement
from ammg.optimizer.bench import Bench, BudgetSpent
from ammg.optimizer.ladder import Problem
from ammg.optimizer.storage import Journal
from ammg.registry import forget


@pytest.fixture
def asked() -> Iterator[list[str]]:
    calls: list[str] = []

    class CountedRisk(Risk):
        """How near the released ages are, and that it was asked."""

        def measure(self, pair: Pair, scenario: ammg.Scenario) -> Measurement:
            calls.append("risk")
            original, masked = pair.aligned(["age"])
            return Measurement(value=float(np.mean(np.abs(original - masked) < 1)))

    class CountedLoss(Loss):
        """Mean change of an age."""

        def measure(self, pair: Pair, scenario: ammg.Scenario) -> Measurement:
            calls.append("loss")
            original, masked = pair.aligned(["age"])
            return Measurement(value=float(np.mean(np.abs(original - masked))))

    yield calls
    forget("measures", "counted_risk")
    forget("measures", "counted_loss")


def problem(limit: float, secret: int = 1) -> Problem:
    data = ammg.Microdata(pl.DataFrame({"age": np.arange(200.0)})).with_roles(key="age")
    limits = (ammg.Limit("counted_risk", limit),)
    return Problem(
        data, limits, ammg.registry.find("measures", "counted_loss")(), ammg.Scenario(), Secret.known(secret)
    )


def recipes(*groups: int) -> list[tuple[ammg.UnivariateMicroaggregation]]:
    return [(ammg.UnivariateMicroaggregation(columns=["age"], k=k),) for k in groups]


def test_the_safe_recipe_of_least_loss_spares_the_attacks_on_all_that_lose_more(asked: list[str]) -> None:
    bench = Bench(problem(0.2), Journal(None, ""), trials=50, processes=1)
    verdicts = bench.judge(recipes(40, 30, 20, 10, 8, 3))
    assert [verdict.state for verdict in verdicts] == ["measured", "measured", "safe", "safe", "broken", "broken"]
    assert asked.count("risk") == 4  # two at a time, from the least loss up
    exhaustive = [problem(0.2).judged(recipe, whole=True) for recipe in recipes(40, 30, 20, 10, 8, 3)]
    assert bench.best == min(verdict.loss for verdict in exhaustive if verdict.pressure <= 1)


def test_nothing_is_judged_twice_and_the_budget_is_kept(asked: list[str]) -> None:
    bench = Bench(problem(0.2), Journal(None, ""), trials=3, processes=1)
    bench.judge(recipes(10, 3))
    before = len(asked)
    bench.judge(recipes(10, 3))
    assert len(asked) == before
    with pytest.raises(BudgetSpent):
        bench.judge(recipes(5, 6))
    assert len(bench.verdicts) == 3


def test_a_verdict_says_which_steps_worked(asked: list[str]) -> None:
    idle = ammg.TopCoding(columns=["age"], threshold=1e6)
    (step,) = recipes(10)[0]
    assert problem(0.5).judged((idle, step)).recipe == (step,)


def test_processes_give_the_same_verdicts() -> None:
    rng = np.random.default_rng(1)
    data = ammg.Microdata(pl.DataFrame({"age": rng.normal(size=100), "wage": rng.normal(size=100)}))
    data = data.with_roles(key=["age", "wage"])
    limits = (ammg.Limit("distance_linkage", 0.2),)
    tried = [(ammg.AdditiveNoise(p=p),) for p in (0.1, 0.3, 0.5, 0.9, 1.5)]
    found = []
    for processes in (1, 2):
        bench = Bench(
            Problem(data, limits, ammg.CellLoss(), ammg.Scenario(), Secret.known(1)), Journal(None, ""), 9, processes
        )
        bench._worked = 10.0  # long enough for processes to be worthwhile
        found.append(bench.judge(tried))
    assert repr(found[0]) == repr(found[1])


def test_a_recipe_that_breaks_a_limit_on_a_loss_is_not_attacked_and_a_milder_one_may_do(asked: list[str]) -> None:
    strict = problem(0.2)
    limits = (*strict.limits.values(), ammg.Limit("il1s", 0.001))
    verdict = Problem(strict.data, limits, strict.loss, strict.scenario, strict.secret).judged(recipes(40)[0])
    assert verdict.state == "lossy"
    assert asked == ["loss"]
