from __future__ import annotations

import pytest

import ammg
from ammg.data.scenario import Scenario


def test_a_class_that_differs_from_the_file_fails(identity):
    table = {"k": ["a"] * 4 + ["b"] * 4, "x": ["u", "v", "u", "v", "u", "u", "u", "v"]}
    pair = identity(table, key=["k"], confidential=["x"])
    measured = ammg.EqualTCloseness(t=0.1).measure(pair, Scenario())
    assert measured.tables["attributes"].lookup("attribute", "worst")["x"] == pytest.approx(1 / 8)
    assert measured.value == 1
    assert ammg.EqualTCloseness(t=0.125).measure(pair, Scenario()).value == 0
