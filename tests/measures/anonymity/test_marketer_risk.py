from __future__ import annotations

import pytest

import ammg
from ammg.data.scenario import Scenario

ANYBODY = Scenario()


def test_the_expected_share_of_correct_matches(sample_of):
    pair = sample_of({"a": ["x"] * 4 + ["y"] * 10}, [0, 1, 4], key=["a"])
    measured = ammg.MarketerRisk().measure(pair, ANYBODY)
    assert measured.value == pytest.approx((1 / 4 + 1 / 4 + 1 / 10) / 3)
    assert measured.facts["expected_matches"] == pytest.approx(0.6)


def test_without_a_population_the_classes_are_counted(patients):
    pair = ammg.data.pair.Pair.identity(patients)
    assert ammg.MarketerRisk().measure(pair, ANYBODY).value == pytest.approx(5 / 10)
