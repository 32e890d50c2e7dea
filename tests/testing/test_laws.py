"""The laws of risk hold for every measure on generated files and pipelines, and they catch what breaks them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ammg import registry
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.measures.linkage.distance_linkage import DistanceLinkage
from ammg.measures.measure import Measure
from ammg.measures.measurement import Measurement
from ammg.testing.law_files import DrawnChooser, RandomChooser, pick
from ammg.testing.laws import LAWS, MEAN_LAWS, check_law, check_risk_laws, laws_of

MEASURES = registry.units("measures")
SLOW = {
    "population_uniqueness": 6,
    "log_linear_risk": 16,
    "residual_linkage": 24,
    "replay_linkage": 40,
    "replay_inference": 24,
    "swap_partner_linkage": 32,
    "group_sum_linkage": 24,
    "worst_case": 40,
}
CASES = 48  # 46 measures × 48 and what the slow ones have are more than 2,000


def test_there_are_at_least_two_thousand_cases() -> None:
    assert sum(SLOW.get(name, CASES) for name in MEASURES) >= 2000


@pytest.mark.parametrize("name", MEASURES)
def test_the_laws_hold_on_generated_files_and_pipelines(name: str) -> None:
    measure = MEASURES[name]()
    laws = laws_of(measure)

    @settings(
        max_examples=SLOW.get(name, CASES),
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def law_holds(data: st.DataObject) -> None:
        chooser = DrawnChooser(data.draw)
        check_law(pick(chooser, laws), measure, chooser)

    law_holds()


@pytest.mark.parametrize(
    "name",
    [name for name in MEASURES if any(law.binds(MEASURES[name]()) for law in MEAN_LAWS)],
)
def test_the_laws_that_hold_in_the_mean(name: str) -> None:
    measure = MEASURES[name]()
    for law in MEAN_LAWS:
        if law.binds(measure):
            check_law(law, measure, RandomChooser(1))


@pytest.mark.parametrize("name", MEASURES)
def test_an_exemption_names_a_law_and_gives_a_reason(name: str) -> None:
    for law, reason in MEASURES[name].exempt.items():
        assert law in {law.name for law in (*LAWS, *MEAN_LAWS)}
        assert len(reason) > 20


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
