"""The laws of risk hold for every measure on generated files and pipelines, and they catch what breaks them."""

from __future__ import annotations

import zlib
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

from ammg import registry
from ammg.data.microdata import Microdata
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.measures.linkage.distance_linkage import DistanceLinkage
from ammg.measures.loss.analysis.propensity_score import PropensityScore
from ammg.measures.loss.analysis.regression_overlap import RegressionOverlap
from ammg.measures.loss.analysis.target_prediction import TargetPrediction
from ammg.measures.measure import Measure, Risk
from ammg.measures.measurement import Measurement
from ammg.methods.noise.additive_noise import AdditiveNoise
from ammg.methods.pram.pram import Pram
from ammg.pipeline.pipeline import Pipeline
from ammg.testing import law_changes
from ammg.testing.law_cases import Case, measured
from ammg.testing.law_changes import Change
from ammg.testing.law_files import DrawnChooser, RandomChooser
from ammg.testing.laws import LAWS, MEAN_LAWS, Law, check_case, check_law, check_risk_laws, laws_of

MEASURES = registry.units("measures")
SLOW = ("log_linear_risk", "overall_loss", "population_uniqueness", "replay_inference", "residual_linkage")
OVER_MANY_SECRETS = ("group_sum_linkage", "replay_linkage", "residual_linkage", "swap_partner_linkage", "worst_case")
REPLAYED = ("replay_linkage", "worst_case")
CASES = {"risks": 4, "losses": 2, "replayed": 2, "slow": 1}
"""Cases of each law that every measure meets."""
TOGETHER = {"risks": 1, "losses": 2, "replayed": 1, "slow": 1}
"""How many measures share their cases, others for each law."""


def kind_of(name: str) -> str:
    if name in (*SLOW, *REPLAYED):
        return "slow" if name in SLOW else "replayed"
    return "risks" if issubclass(MEASURES[name], Risk) else "losses"


def groups(law: Law, kind: str) -> list[list[Measure]]:
    """The measures of one kind that the law binds, in groups that have cases of their own."""
    bound = [measure for name in MEASURES if kind_of(name) == kind and law.binds(measure := MEASURES[name]())]
    bound.sort(key=lambda measure: zlib.crc32(f"{measure.name} {law.name}".encode()))
    return [bound[first : first + TOGETHER[kind]] for first in range(0, len(bound), TOGETHER[kind])]


SHARED = [
    pytest.param(law, kind, group, id=f"{law.name}-{'-'.join(measure.name for measure in group)}")
    for law in LAWS
    for kind in CASES
    for group in groups(law, kind)
]


def test_there_are_at_least_two_thousand_cases() -> None:
    assert sum(CASES[kind] * len(groups(law, kind)) for law in LAWS for kind in CASES) >= 2000


@pytest.mark.parametrize(("law", "kind", "group"), SHARED)
def test_a_law_holds_on_generated_files_and_pipelines(law: Law, kind: str, group: list[Measure]) -> None:
    """Which methods make the files is up to Hypothesis, another choice for each group of measures."""

    @settings(
        max_examples=CASES[kind],
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @seeded(number := zlib.crc32(f"{law.name} {group[0].name}".encode()))
    @given(st.data())
    def law_holds(data: st.DataObject) -> None:
        case = law.case(TurnedChooser(data, number))
        for measure in group:
            check_case(law, measure, case)

    law_holds()


class TurnedChooser(DrawnChooser):
    """Choices of Hypothesis, counted on from others: it begins with the least ones, the same file for all measures."""

    def __init__(self, data: st.DataObject, seed: int) -> None:
        super().__init__(data.draw)
        self._first = RandomChooser(seed)

    def whole(self, low: int, high: int) -> int:
        return low + (super().whole(low, high) + self._first.whole(low, high) - 2 * low) % (high - low + 1)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.proof] if name in OVER_MANY_SECRETS else [])
        for name in MEASURES
        if any(law.binds(MEASURES[name]()) for law in MEAN_LAWS)
    ],
)
def test_the_laws_that_hold_in_the_mean(name: str) -> None:
    measure = MEASURES[name]()
    for law in MEAN_LAWS:
        if law.binds(measure):
            check_case(law, measure, case_in_the_mean(law))


@cache
def case_in_the_mean(law: Law) -> Case:
    """The files of a law, which all measures share."""
    return law.case(RandomChooser(1))


@pytest.mark.parametrize("name", MEASURES)
def test_an_exemption_names_a_law_and_gives_a_reason(name: str) -> None:
    for law, reason in MEASURES[name].exempt.items():
        assert law in {law.name for law in (*LAWS, *MEAN_LAWS)}
        assert len(reason) > 20


def differences(measure: Measure, change: Change) -> list[float]:
    """By how much a change that nobody should notice moves a measure on small files of people with jobs."""
    moved = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        town = rng.choice(list("abc"), 30)
        job = np.where(rng.random(30) < 0.7, np.char.add("j", town), rng.choice(["ja", "jb", "jc"], 30))
        pay = (rng.normal(size=30) + (job == "ja")).round(1)
        data = Microdata(pl.DataFrame({"town": town, "job": job, "pay": pay}))
        data = data.with_roles(key="town", confidential=["job", "pay"])
        steps = [AdditiveNoise(columns=("pay",)), Pram(columns=("town",))]
        pair = Pipeline(steps).run(data, secret=1).pair
        values = [measured(measure, files) for files in (pair, change(pair, RandomChooser(3)))]
        if values[0] is not None and values[1] is not None:
            moved.append(abs(float(values[0].value or 0) - float(values[1].value or 0)))
    return moved


def test_what_losses_of_models_are_exempt_from_is_true() -> None:
    """The other order moves them as the reasons say: a little where a fit ends near its optimum, much elsewhere."""
    turned, rotated = law_changes.categories_in_another_order, law_changes.columns_in_another_order
    assert max(differences(PropensityScore(), turned)) < 1e-6
    assert max(differences(RegressionOverlap(), turned)) > 0.01
    assert max(differences(TargetPrediction(), turned)) > 0.001
    assert max(differences(TargetPrediction(), rotated)) > 0.1
    assert max(differences(TargetPrediction(target="job"), rotated)) < 1e-9


class TextPair(Pair):
    """Compares recoded values as texts, as this package once did: 1.0 is not "1.0", and what is unknown is missing."""

    def _recoded(self, name: str, held: Any) -> Any:
        codes, categories = self.codes(name, masked=False)
        values: list[Any] = list(categories)
        for recoding in self.recodings(name):
            if recoding.bounds is not None:
                table, after = recoding.table(values)
                values = [after[code] for code in table[:-1]]
            else:
                names = {
                    str(old): str(recoding.after[new]) for old, new in zip(recoding.before, recoding.codes, strict=True)
                }
                values = [names.get(f"{v:g}" if isinstance(v, float) else str(v)) for v in values]
        position = {value: code for code, value in enumerate(dict.fromkeys(v for v in values if v is not None))}
        return np.array([*(position.get(value, -1) for value in values), -1], dtype=np.int32)[codes], tuple(position)

    def _common_codes(self, name: str, held: Any) -> Any:
        if not self.recodings(name):
            return super()._common_codes(name, held)
        before, categories = self._recoded(name, held)
        after, others = self.codes(name, masked=True)
        position = {value: code for code, value in enumerate(categories)}
        for value in others:
            position.setdefault(value, len(position))
        return before, np.array([*(position[value] for value in others), -1], dtype=np.int32)[after], tuple(position)


@pytest.fixture
def recoded_by_text() -> Any:
    """A deliberately broken measure, forgotten after the test."""

    class RecodedByText(DistanceLinkage):
        """Distance linkage that compares recoded values as texts."""

        def _may_ignore(self, pair: Pair) -> bool:
            return False

        def found(self, pair: Pair, scenario: Scenario) -> Measurement:
            return super().found(TextPair(pair.original, pair.masked, pair.link, pair.published), scenario)

    yield RecodedByText()
    registry.forget("measures", "recoded_by_text")


def test_no_law_is_waived_for_the_worst_case_but_what_the_attacks_cannot_keep() -> None:
    assert set(MEASURES["worst_case"].exempt) == {
        "recoding_alone",
        "other_units",
        "more_suppression",
        "independent_files",
    }


def broken_laws(measure: Measure, cases: int) -> set[str]:
    found = set()
    for law in (law for law in laws_of(measure) if law.name in ("idle_step", "recoding_alone")):
        for seed in range(cases):
            try:
                check_law(law, measure, RandomChooser(seed))
            except AssertionError:
                found.add(law.name)
                break
    return found


def test_a_measure_that_compares_recoded_values_as_texts_is_caught(recoded_by_text: Measure) -> None:
    assert {"idle_step", "recoding_alone"} <= broken_laws(recoded_by_text, 25)


def test_laws_can_be_checked_without_hypothesis() -> None:
    check_risk_laws(DistanceLinkage(), cases=len(LAWS))
