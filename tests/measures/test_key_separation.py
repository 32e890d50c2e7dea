from __future__ import annotations

import pytest

import ammg
from ammg.data.scenario import Scenario


def test_the_five_people_of_motwani_and_xu(identity):
    table = {
        "age": [20, 30, 40, 20, 40],
        "sex": ["f", "f", "f", "m", "m"],
        "state": ["CA", "CA", "TX", "NY", "CA"],
    }
    measured = ammg.KeySeparation().measure(identity(table, key=["age", "sex", "state"]), Scenario())
    found = {tuple(row["attributes"]): row for row in measured.details["subsets"]}
    assert measured.value == 1
    assert measured.by_column["age"] == pytest.approx(0.6)
    assert found[("age",)]["separation"] == pytest.approx(0.8)
    assert found[("sex", "state")]["distinction"] == pytest.approx(0.8)
    assert found[("sex", "state")]["separation"] == pytest.approx(0.9)
