from __future__ import annotations

import pytest

import ammg
from ammg.data.scenario import Scenario

ANYBODY = Scenario()


def test_the_smallest_class_of_the_population_decides(sample_of):
    pair = sample_of({"a": ["x"] * 4 + ["y"] * 10}, [0, 1, 4], key=["a"])
    measured = ammg.JournalistRisk(threshold=0.2).measure(pair, ANYBODY)
    assert measured.value == pytest.approx(1 / 4)
    assert measured.facts["success"] == pytest.approx((2 / 4 + 1 / 10) / 3)
    assert measured.facts["at_risk"] == pytest.approx(2 / 3)
    assert measured.people.examples["riskiest"][0] == "record 0: a x (risk 0.25)"


def test_weights_stand_for_the_population(identity):
    pair = identity({"a": ["x", "y"], "w": [5.0, 20.0]}, key=["a"], weight=["w"])
    assert ammg.JournalistRisk().measure(pair, ANYBODY).people.by_record.tolist() == pytest.approx([0.2, 0.05])
