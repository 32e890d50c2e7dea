"""Moments, extremes and sums of long columns, piece by piece."""

import numpy as np
import pytest

from ammg.kernels.columns import (
    PIECE,
    covariances,
    extent,
    in_columns,
    median,
    profile,
    sum_absolute_changes,
    sum_entries,
)
from ammg.kernels.pairwise import moments, pairwise_moments

LONG = np.add(np.exp(np.random.default_rng(1).normal(size=(2 * PIECE + 77, 3))), [0.0, 1e6, -50.0])


@pytest.mark.parametrize("column", range(3))
def test_a_profile_has_numpys_moments_and_extremes(column: int) -> None:
    values = LONG[:, column]
    found = profile(values)
    assert found.observed == len(values)
    assert found.mean == pytest.approx(values.mean(), rel=1e-14)
    assert found.sd == pytest.approx(values.std(ddof=1), rel=1e-10 if column == 1 else 1e-13)
    assert (found.least, found.greatest) == extent(values) == (values.min(), values.max())


def test_missing_values_are_left_out() -> None:
    values = LONG[:, 0].copy()
    values[5::7] = np.nan
    values[PIECE : 2 * PIECE] = np.nan
    seen = values[~np.isnan(values)]
    found = profile(values)
    assert (found.observed, found.least, found.greatest) == (len(seen), seen.min(), seen.max())
    assert found.sd == pytest.approx(seen.std(ddof=1), rel=1e-13)
    assert extent(values) == (seen.min(), seen.max())


def test_a_column_without_values_has_no_moments() -> None:
    found = profile(np.full(3, np.nan))
    assert (found.observed, found.size, found.is_constant) == (0, 0.0, False)
    assert np.isnan([found.mean, found.sd]).all()


def test_equal_values_have_no_variance_whatever_their_mean_is_rounded_to() -> None:
    found = profile(np.full(PIECE + 3, 0.1))
    assert (found.mean, found.sd, found.is_constant) == (0.1, 0.0, True)


def test_covariances_are_numpys() -> None:
    columns = list(np.asfortranarray(LONG).T)
    found = covariances(columns, np.array([profile(column).mean for column in columns]))
    assert found == pytest.approx(np.cov(LONG.T), rel=1e-9)


@pytest.mark.parametrize("case", ["complete", "missing", "constant"])
def test_moments_of_columns_are_those_of_records(case: str) -> None:
    records = LONG[:500].copy()
    if case == "missing":
        records[3:40, 1] = np.nan
    if case == "constant":
        records[:, 2] = 0.3
    columns = list(np.asfortranarray(records).T)
    found, expected = moments(columns, [profile(column) for column in columns]), pairwise_moments(records)
    assert found.mean == pytest.approx(expected.mean, rel=1e-13)
    assert found.cov == pytest.approx(expected.cov, rel=1e-9, abs=1e-12)


def test_entries_add_up_without_undefined_ones() -> None:
    first, second = LONG[:, 0].copy(), LONG[:, 1]
    first[::5] = np.nan
    found = sum_entries(first, second, lambda x, z: x - z)
    assert found.defined == np.count_nonzero(~np.isnan(first))
    assert found.total == pytest.approx(np.nansum(first - second), rel=1e-13)


def test_columns_side_by_side_are_a_copy() -> None:
    out = in_columns([LONG[:, 0], LONG[:, 1]], len(LONG))
    out[0] = 0.0
    assert LONG[0].all()


def test_absolute_changes_add_up_over_pieces():
    rng = np.random.default_rng(4)
    original, masked = rng.normal(size=(2, PIECE + 100))
    assert sum_absolute_changes(original, masked) == pytest.approx(np.abs(original - masked).sum(), rel=1e-13)
    masked[PIECE] = np.nan
    assert np.isnan(sum_absolute_changes(original, masked))
    assert sum_absolute_changes(np.empty(0), np.empty(0)) == 0.0


@pytest.mark.parametrize(
    "values", [[3.0], [3.0, 1.0], [2.0, 5.0, 1.0], [4.0, 1.0, 3.0, 3.0], [1.0, np.inf], [1.0, np.nan]]
)
def test_medians_are_numpys(values: list[float]) -> None:
    assert median(np.array(values)) == pytest.approx(np.median(values), rel=0, nan_ok=True)
    assert median(LONG[: PIECE - len(values), 0]) == np.median(LONG[: PIECE - len(values), 0])
    assert np.isnan(median(np.empty(0)))
