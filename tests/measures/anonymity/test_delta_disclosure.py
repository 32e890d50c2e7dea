from __future__ import annotations

import numpy as np
import pytest

import ammg
from ammg.data.scenario import Scenario

TABLE = {"k": ["a"] * 4 + ["b"] * 4, "x": ["u", "v", "u", "v", "u", "u", "u", "v"]}


def test_the_largest_change_of_odds_decides(identity):
    pair = identity(TABLE, key=["k"], confidential=["x"])
    worst = abs(np.log((1 / 4) / (3 / 8)))
    measured = ammg.DeltaDisclosure(delta=0.5).measure(pair, Scenario())
    assert measured.tables["attributes"].lookup("attribute", "worst")["x"] == pytest.approx(worst)
    assert ammg.DeltaDisclosure(delta=0.4).measure(pair, Scenario()).value == 0.5


def test_a_value_that_a_class_lacks_breaks_the_strict_form(identity):
    table = {"k": ["a", "a", "b", "b"], "x": ["u", "u", "u", "v"]}
    pair = identity(table, key=["k"], confidential=["x"])
    assert ammg.DeltaDisclosure(delta=2.0).measure(pair, Scenario()).value == 0.5
    assert ammg.DeltaDisclosure(delta=2.0, absent=False).measure(pair, Scenario()).value == 0
