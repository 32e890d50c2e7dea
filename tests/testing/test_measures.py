"""The contract suite finds what it is there to find: each check fails for a measure that is wrong in its way."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest

import ammg
from ammg import registry
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.measures.measure import Loss, Measure
from ammg.measures.measurement import Measurement
from ammg.testing import measures as checks
from ammg.testing.samples import sample_pairs

_before = set(registry.units("measures"))


class MeanShift(Loss):
    """How far the mean of income moved."""

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        if "income" not in pair.masked.schema:
            raise NotDefined("income was dropped")
        original, masked = pair.originals(["income"])[:, 0], pair.released(["income"])[:, 0]
        original, masked = original[~np.isnan(original)], masked[~np.isnan(masked)]
        if not len(original) or not len(masked):
            raise NotDefined("there is no income")
        return self.answer(float(abs(original.mean() - masked.mean())), pair)

    def answer(self, value: float, pair: Pair) -> Measurement:
        return Measurement(value)


class NeverNothing(MeanShift):
    def answer(self, value: float, pair: Pair) -> Measurement:
        return Measurement(value + 1)


class TooMuch(MeanShift):
    range: ClassVar[tuple[float, float]] = (0.0, 0.001)


class CountsMissing(MeanShift):
    def answer(self, value: float, pair: Pair) -> Measurement:
        return Measurement(float("nan") if pair.masked.table["income"].null_count() else value)


class FirstReleased(MeanShift):
    def answer(self, value: float, pair: Pair) -> Measurement:
        return Measurement(value + abs(float(pair.masked.table["visits"].cast(float, strict=False)[0] or 0)))


class FirstOriginal(MeanShift):
    def answer(self, value: float, pair: Pair) -> Measurement:
        return Measurement(value + float(pair.original.table["age"][0]))


class NeedsTwo(MeanShift):
    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        return Measurement(float(pair.original.table["age"][1]) * 0)


class Stumbles(MeanShift):
    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        return Measurement(0.0 * float(len(pair.masked.table["income"])))


class Remembers(MeanShift):
    calls: ClassVar[list[int]] = []

    def answer(self, value: float, pair: Pair) -> Measurement:
        self.calls.append(1)
        return Measurement(value + len(self.calls))


class KeepsArrays(MeanShift):
    def answer(self, value: float, pair: Pair) -> Measurement:
        return Measurement(value, facts={"set": {1, 2}})


class NamesPeople(MeanShift):
    def answer(self, value: float, pair: Pair) -> Measurement:
        return Measurement(value, facts={"largest": f"{np.nanmax(pair.originals(['income'])):g}"})


for _name in set(registry.units("measures")) - _before:
    registry.forget("measures", _name)

WRONG: dict[type[Measure], Any] = {
    NeverNothing: checks.check_the_file_itself_has_no_loss,
    TooMuch: checks.check_value_is_in_its_range,
    CountsMissing: checks.check_missing_values_weights_and_constants,
    FirstReleased: checks.check_order_of_released_records_does_not_matter,
    FirstOriginal: checks.check_order_of_original_records_does_not_matter,
    NeedsTwo: checks.check_small_files,
    Stumbles: checks.check_dropped_columns_and_simulated_records,
    Remembers: checks.check_it_measures_the_same_twice,
    KeepsArrays: checks.check_it_can_be_shipped,
    NamesPeople: checks.check_what_it_tells_is_about_nobody_in_particular,
}


def test_a_plain_measure_keeps_the_contract() -> None:
    checks.check_measure(MeanShift())


@pytest.mark.parametrize("wrong", WRONG, ids=lambda unit: unit.__name__)
def test_a_measure_that_is_wrong_is_found(wrong: type[Measure]) -> None:
    with pytest.raises(Exception):  # noqa: B017 - a crash counts as much as a failed assertion
        WRONG[wrong](wrong())


@pytest.mark.parametrize(
    "measure",
    [ammg.KAnonymity(), ammg.Suda(), ammg.UnsafeCombinations(), ammg.DistinctLDiversity()],
    ids=lambda measure: measure.name,
)
def test_the_owner_is_told_of_the_people_that_nobody_else_is_told_of(measure: Measure) -> None:
    answer = measure.measure(sample_pairs("planted")["itself"], Scenario(known=("region",)))
    examples = [sentence for sentences in answer.people.examples.values() for sentence in sentences]
    assert any("region Zathrumwick" in sentence for sentence in examples)


def test_every_check_has_a_measure_that_fails_it() -> None:
    assert set(checks.MEASURE_CHECKS) == set(WRONG.values())
