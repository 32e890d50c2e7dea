import pytest
from beside import found, masked

import ammg


def test_a_class_costs_its_share_of_the_categories() -> None:
    table = {"town": ["Lyon", "Nice", "Bonn", "Kiel", "Lyon"]}
    recoding = ammg.GlobalRecoding(columns="town", map={"Lyon": "France", "Nice": "France"})
    assert masked(ammg.Granularity(), table, recoding).value == pytest.approx(3 / 5 * 1 / 3)


def test_a_suppressed_value_costs_one_and_a_changed_one_nothing() -> None:
    assert found(ammg.Granularity(), {"a": list("xyz")}, {"a": ["x", "z", None]}).value == pytest.approx(1 / 3)
