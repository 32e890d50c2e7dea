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
    return ammg.evaluate(pair, [ammg.IL3(**options)])["il3"]


def test_variances_and_covariances_are_compared_relatively() -> None:
    x, y = np.array([1.0, 2, 4, 8]), np.array([3.0, 1, 5, 2])
    # Doubling x multiplies its variance by 4 and its covariance by 2.
    assert loss([x, y], [2 * x, y]).value == pytest.approx((3 + 1 + 0) / 3)


def test_covariances_near_zero_have_a_robust_companion() -> None:
    x, y = np.array([1.0, 2, 4, 8]), np.array([3.0, 1, 5, 2])
    before, after = np.cov(x, y), np.cov(2 * x, y)
    robust = np.abs(after - before) / np.sqrt(np.outer(np.diag(before), np.diag(before)))
    assert loss([x, y], [2 * x, y]).details["il3r"] == pytest.approx(robust[np.tril_indices(2)].mean())


def test_entries_that_the_release_does_not_have_are_charged_one() -> None:
    assert loss([[1, 2, 4], [3, 1, 5]], [[None] * 3, [3, 1, 5]]).value == pytest.approx(2 / 3)
