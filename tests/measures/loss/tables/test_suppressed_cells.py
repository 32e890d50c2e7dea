import pytest
from beside import found, masked

import ammg

TABLE = {"a": ["x", "y", None, "z"], "b": [1.0, 2.0, 3.0, 4.0]}


def test_cells_that_the_original_had_are_counted() -> None:
    result = found(ammg.SuppressedCells(), TABLE, {"a": ["x", None, None, "z"], "b": [1.0, None, 3.0, None]})
    assert result.value == pytest.approx(3 / 7)
    assert result.by_column == {"a": pytest.approx(1 / 3), "b": 0.5}


def test_dropped_records_and_columns_are_withheld_cells() -> None:
    assert found(ammg.SuppressedCells(), TABLE, {"a": ["x", "y"], "b": [1.0, 2.0]}).value == pytest.approx(3 / 7)
    assert masked(ammg.SuppressedCells(), TABLE, ammg.IdentifierRemoval(columns="b")).value == pytest.approx(4 / 7)


def test_a_file_without_values_has_none_to_lose() -> None:
    empty = {"b": [None, None]}
    data = {"b": [1.0, 2.0]}
    assert found(ammg.SuppressedCells(), data, empty).value == 1
