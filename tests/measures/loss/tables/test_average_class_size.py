import pytest
from beside import found, masked

import ammg

TABLE = {"town": ["Lyon", "Lyon", "Nice", "Bonn"]}


def test_classes_grow_when_categories_are_merged() -> None:
    recoding = ammg.GlobalRecoding(columns="town", map={"Lyon": "France", "Nice": "France"})
    result = masked(ammg.AverageClassSize(), TABLE, recoding, key="town")
    assert result.facts["size"] == 2
    assert result.value == pytest.approx(2 / (4 / 3) - 1)


def test_withheld_records_are_one_class() -> None:
    result = found(ammg.AverageClassSize(), TABLE, {"town": ["Lyon", "Lyon", None, None]}, key="town")
    assert result.facts["size"] == 2
