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
    return ammg.evaluate(pair, [ammg.IL4(**options)])["il4"]


def test_variances_are_compared_relatively() -> None:
    assert loss([[1, 3], [1, 2]], [[1, 5], [1, 2]]).value == pytest.approx((3 + 0) / 2)


def test_a_constant_column_is_left_out_and_counted() -> None:
    found = loss([[7, 7], [1, 2]], [[7, 8], [1, 3]])
    assert found.value == pytest.approx(3)
    assert found.details["skipped"] == 1


def test_a_variance_that_the_release_does_not_have_is_charged_one() -> None:
    assert loss([[1, 3]], [[None, None]]).value == 1
