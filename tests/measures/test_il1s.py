import numpy as np
import polars as pl
import pytest

import ammg


def loss(before: list[list[float]], after: list[list[float]], **options: object) -> ammg.Measurement:
    """Files of columns, beside each other record by record."""
    original, masked = (
        ammg.Microdata(pl.DataFrame({f"x{j}": pl.Series(column, dtype=pl.Float64) for j, column in enumerate(columns)}))
        for columns in (before, after)
    )
    pair = ammg.Pair(original, masked, np.arange(masked.table.height))
    return ammg.evaluate(pair, [ammg.IL1s(**options)])["il1s"]


def test_a_change_is_divided_by_root_two_deviations_of_the_original() -> None:
    before, after = [0.0, 2.0, 4.0], [1.0, 2.0, 4.0]
    assert loss([before], [after]).value == pytest.approx(1 / (np.sqrt(2) * 2) / 3)


def test_units_do_not_matter() -> None:
    before, after = np.array([1.0, 5, 9, 2]), np.array([2.0, 5, 7, 2])
    assert loss([before], [after]).value == pytest.approx(loss([before * 1000], [after * 1000]).value)


def test_a_suppressed_cell_is_charged_as_the_released_mean() -> None:
    before = [0.0, 2.0, 4.0, 10.0]
    found = loss([before], [[0.0, 2.0, 4.0, None]])
    assert found.value == pytest.approx(8 / (np.sqrt(2) * np.std(before, ddof=1)) / 4)


def test_a_constant_column_is_left_out() -> None:
    found = loss([[1, 2], [3, 3]], [[1, 2], [4, 4]])
    assert found.value == 0
    assert found.details["skipped"] == 2
