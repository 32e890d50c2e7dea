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
    separation, distinction = (
        measured.tables["subsets"].lookup("attributes", column) for column in ("separation", "distinction")
    )
    assert measured.value == 1
    assert measured.by_column["age"] == pytest.approx(0.6)
    assert separation["age"] == pytest.approx(0.8)
    assert distinction["sex and state"] == pytest.approx(0.8)
    assert separation["sex and state"] == pytest.approx(0.9)
