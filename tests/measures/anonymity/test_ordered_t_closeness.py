from __future__ import annotations

import pytest

import ammg
from ammg.data.scenario import Scenario


def test_the_salaries_of_li_li_and_venkatasubramanian(identity):
    """Salaries 3K to 11K: {3, 4, 5} is 0.375 from the file, {6, 8, 11} only 1/6."""
    table = {"k": ["a", "a", "a", "b", "c", "b", "c", "c", "b"], "salary": [3, 4, 5, 6, 7, 8, 9, 10, 11]}
    pair = identity(table, key=["k"], confidential=["salary"])
    measured = ammg.OrderedTCloseness(t=0.3).measure(pair, Scenario())
    assert measured.value == pytest.approx(1 / 3)
    assert measured.tables["attributes"].lookup("attribute", "worst")["salary"] == pytest.approx(0.375)
    assert ammg.OrderedTCloseness(t=0.1).measure(pair, Scenario()).value == 1
