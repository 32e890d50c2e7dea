from __future__ import annotations

import pytest

import ammg
from ammg.data.scenario import Scenario


def test_the_largest_relative_gain_decides(identity):
    table = {"k": ["a"] * 4 + ["b"] * 4, "x": ["u", "v", "u", "v", "u", "u", "u", "v"]}
    pair = identity(table, key=["k"], confidential=["x"])
    measured = ammg.BasicBetaLikeness(beta=0.3).measure(pair, Scenario())
    assert measured.tables["attributes"].lookup("attribute", "worst")["x"] == pytest.approx((1 / 2 - 3 / 8) / (3 / 8))
    assert measured.value == 0.5
