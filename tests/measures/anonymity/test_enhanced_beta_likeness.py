from __future__ import annotations

import ammg
from ammg.data.scenario import Scenario


def test_a_frequent_value_may_not_become_certain(identity):
    """q = 3/4 and p = 1: the gain 1/3 is below β = 1 but above -ln(3/4)."""
    table = {"k": ["a"] * 2 + ["b"] * 2, "x": ["u", "u", "u", "v"]}
    pair = identity(table, key=["k"], confidential=["x"])
    assert ammg.EnhancedBetaLikeness(beta=1.0).measure(pair, Scenario()).value == 0.5
    assert ammg.BasicBetaLikeness(beta=1.0).measure(pair, Scenario()).value == 0
