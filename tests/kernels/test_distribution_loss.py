from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from ammg.kernels.distribution_loss import (
    average_absolute_distance,
    between_variance,
    between_variance_as_printed,
    cramers_v,
    cramers_v_change,
    kolmogorov_smirnov,
    relative_average_absolute_distance,
    relative_difference,
)


def test_distance_of_counts_includes_empty_cells():
    original, masked = np.array([[4.0, 0.0], [2.0, 2.0]]), np.array([[3.0, 1.0], [2.0, 2.0]])
    assert average_absolute_distance(original, masked) == 0.5
    assert relative_average_absolute_distance(original, masked) == 25.0


def test_kolmogorov_smirnov_is_that_of_scipy_with_ties_and_missing_values():
    rng = np.random.default_rng(0)
    original, masked = rng.integers(0, 20, 300).astype(float), rng.integers(2, 22, 200).astype(float)
    expected = stats.ks_2samp(original, masked).statistic
    result = kolmogorov_smirnov(np.r_[original, np.nan], masked)
    assert result.statistic == pytest.approx(expected, abs=1e-14)
    assert result.percent == pytest.approx(100 * expected)
    assert result.scaled == pytest.approx(np.sqrt(300 * 200 / 500) * expected)


def test_weights_count_as_repetitions_in_kolmogorov_smirnov():
    rng = np.random.default_rng(1)
    original, masked = rng.normal(size=50), rng.normal(0.3, 1, size=50)
    times = rng.integers(1, 5, 50)
    weighted = kolmogorov_smirnov(original, masked, times.astype(float), times.astype(float))
    repeated = kolmogorov_smirnov(np.repeat(original, times), np.repeat(masked, times))
    assert weighted.statistic == pytest.approx(repeated.statistic)


def test_nothing_observed_has_no_distribution():
    assert np.isnan(kolmogorov_smirnov(np.array([np.nan]), np.array([1.0])).statistic)


def test_cramers_v_is_that_of_scipy():
    table = np.array([[10.0, 4, 0], [3, 9, 8], [1, 2, 30]])
    assert cramers_v(table) == pytest.approx(stats.contingency.association(table.astype(int), method="cramer"))
    padded = np.zeros((4, 4))
    padded[:3, 1:] = table
    assert cramers_v(padded) == pytest.approx(cramers_v(table))


def test_change_of_cramers_v_uses_the_rows_and_columns_of_the_original():
    original = np.array([[8.0, 2, 0], [2, 8, 0], [0, 0, 0]])
    masked = np.array([[7.0, 3, 0], [3, 7, 0], [0, 0, 1]])
    assert cramers_v_change(original, masked) == pytest.approx(100 * (0.4 - 0.6) / 0.6)
    assert np.isnan(cramers_v_change(np.full((2, 2), 5.0), original[:2, :2]))


def test_between_variance_of_equal_groups_is_the_variance_of_their_means():
    rng = np.random.default_rng(2)
    means = rng.normal(size=12)
    sizes = np.full(12, 5.0)
    assert between_variance(means * sizes, sizes) == pytest.approx(means.var(ddof=1))
    assert between_variance(means * sizes, sizes, size_weighted=True) == pytest.approx(means.var(ddof=1))


def test_between_variance_skips_empty_groups_and_pools_the_overall_mean():
    totals, sizes = np.array([2.0, 6.0, 0.0]), np.array([1.0, 3.0, 0.0])
    assert between_variance(totals, sizes) == 0.0
    assert between_variance(np.array([0.0, 4.0]), np.array([1.0, 1.0]), size_weighted=True) == 8.0
    assert np.isnan(between_variance(totals[:1], sizes[:1]))


def test_printed_formula_mixes_two_scales():
    row, everyone = np.array([1.0, 3.0]), np.array([8.0, 8.0])
    assert between_variance_as_printed(row, everyone) == pytest.approx(0.0**2 + 0.5**2)


def test_relative_difference_is_in_percent():
    assert relative_difference(4.0, 5.0) == 25.0
    assert np.isnan(relative_difference(0.0, 1.0))
