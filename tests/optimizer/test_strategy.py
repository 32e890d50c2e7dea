"""How the search goes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import polars as pl

import ammg
from ammg.datasets import SURVEY_ROLES, survey
from ammg.optimizer.ladder import Verdict
from ammg.optimizer.strategy import _bisect, kind_of


def test_recipes_are_of_three_kinds() -> None:
    recode, noise = ammg.GlobalRecoding(groups=4), ammg.AdditiveNoise()
    assert [kind_of(recipe) for recipe in ((recode,), (noise,), (recode, noise))] == [
        "recoding",
        "perturbation",
        "mixed",
    ]


def test_runners_up_are_of_other_kinds_and_meet_all_limits() -> None:
    data = ammg.Microdata(survey(600, seed=2)).with_roles(SURVEY_ROLES)
    result = ammg.search(
        data,
        {"distance_linkage": 0.1},
        "cell_loss",
        trials=40,
        methods=["mondrian", "microaggregation", "pram"],
        secret=3,
        processes=1,
    )
    kinds = [kind_of(candidate.recipe) for candidate in (result.choice, *result.runners_up)]
    assert len(set(kinds)) == len(kinds) > 1
    assert all(candidate.is_safe for candidate in result.runners_up)
    assert all(candidate.loss >= result.choice.loss for candidate in result.runners_up)


def test_a_recipe_of_a_sample_is_made_milder_on_the_whole_file() -> None:
    table = pl.DataFrame({"age": [age % 400 for age in range(4000)]})
    data = ammg.Microdata(table).with_roles(key="age")
    asked = {"risk": {"k_anonymity": 0.0, "distance_linkage": 0.08}, "loss": "cell_loss", "methods": ["mondrian"]}
    small = ammg.search(data, **asked, trials=20, records=400, secret=1, processes=1)
    assert small.choice.is_safe
    assert small.choice.loss == ammg.search(data, **asked, trials=20, records=4000, secret=1, processes=1).choice.loss


@dataclass(frozen=True)
class Kind:
    """A family of one method; its loss grows with its strength, and so does what it hides."""

    name: str
    hides: float

    def at(self, strength: float) -> tuple[str, float, float]:
        return self.name, self.hides, strength


class Judge:
    """A bench on which losses and risks are known functions of strength."""

    def __init__(self) -> None:
        self.spent, self.best = 0, math.inf

    def judge(self, recipes: list) -> list[Verdict]:
        self.spent += len(recipes)
        return [self._verdict(*recipe[0]) for recipe in recipes]

    def _verdict(self, name: str, hides: float, strength: float) -> Verdict:
        loss = 0.1 + strength
        if loss >= self.best:
            return Verdict((), "measured", loss)
        pressure = (0.5 / (hides * strength)) ** 4
        if pressure <= 1:
            self.best = loss
        return Verdict((), "safe" if pressure <= 1 else "broken", loss, {}, pressure)


def test_promising_families_are_followed_to_the_end() -> None:
    bench = Judge()
    weak = [(Kind(f"weak {number}", 0.6),) for number in range(25)]
    _bisect([*weak, (Kind("good", 3.0),)], bench, trials=52)
    assert abs(bench.best - (0.1 + 0.5 / 3)) < 1 / 32
    assert bench.spent < 120
