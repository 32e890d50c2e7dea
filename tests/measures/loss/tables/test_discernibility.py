import pytest
from beside import found, masked

import ammg

TABLE = {"town": ["Lyon", "Lyon", "Nice", "Bonn"]}


def test_the_penalty_is_the_sum_of_the_squared_class_sizes() -> None:
    recoding = ammg.GlobalRecoding(columns="town", map={"Lyon": "France", "Nice": "France"})
    result = masked(ammg.Discernibility(), TABLE, recoding, key="town")
    assert (result.facts["penalty_original"], result.facts["penalty"]) == (4 + 1 + 1, 9 + 1)
    assert result.value == pytest.approx((10 - 6) / (16 - 6))


def test_a_withheld_record_costs_as_many_as_there_are_records() -> None:
    result = found(ammg.Discernibility(), TABLE, {"town": ["Lyon", "Lyon", "Nice", None]}, key="town")
    assert result.facts["penalty"] == 4 + 1 + 4
    dropped = found(ammg.Discernibility(), TABLE, {"town": ["Lyon", "Lyon", "Nice"]}, key="town")
    assert dropped.value == result.value


def test_one_class_of_all_records_loses_everything() -> None:
    assert found(ammg.Discernibility(), TABLE, {"town": ["*"] * 4}, key="town").value == 1
