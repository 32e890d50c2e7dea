from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ammg.kernels.grouping.univariate_groups import (
    fixed_size_bounds,
    group_means,
    microaggregate_column,
    optimal_bounds,
)

columns = st.lists(st.floats(-1e6, 1e6, width=32), min_size=2, max_size=12)


def squares(values, starts, weights=None):
    """Sum of squares about the group means, the slow way."""
    weights = np.ones(len(values)) if weights is None else weights
    total = 0.0
    for start, end in pairwise([*starts, len(values)]):
        w, x = weights[start:end], values[start:end]
        if w.sum() > 0:
            total += w @ (x - np.average(x, weights=w)) ** 2
    return total


def least_squares(values, k, weights=None):
    """The least sum of squares over all partitions into consecutive groups of at least k records, each one tried."""
    n = len(values)

    def partitions(end):
        if end == 0:
            yield []
        for start in range(end - k, -1, -1):
            for rest in partitions(start):
                yield [*rest, start]

    return min(squares(values, starts, weights) for starts in partitions(n))


@given(columns, st.integers(2, 4))
@settings(max_examples=100, deadline=None)
def test_optimal_groups_equal_brute_force(column, k):
    values = np.sort(np.array(column))
    k = min(k, len(values))
    starts = optimal_bounds(values, k)
    sizes = np.diff(starts, append=len(values))
    assert sizes.min() >= k
    assert sizes.max() <= max(2 * k - 1, len(values) if len(values) < 2 * k else 0)
    best = least_squares(values, k)
    assert squares(values, starts) <= best + 1e-12 * (np.ptp(values) ** 2 + best)


@given(columns, st.integers(2, 4), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_optimal_weighted_groups_equal_brute_force(column, k, seed):
    values = np.sort(np.array(column))
    weights = np.random.default_rng(seed).integers(0, 5, len(values)).astype(float)
    k = min(k, len(values))
    best = least_squares(values, k, weights)
    found = squares(values, optimal_bounds(values, k, weights), weights)
    assert found <= best + 1e-11 * (np.ptp(values) ** 2 + best)


@pytest.mark.parametrize("k", [2, 3, 7, 16, 61, 130])
def test_optimal_groups_equal_a_plain_shortest_path(k):
    values = np.sort(np.random.default_rng(k).lognormal(size=400))
    cost = np.full(len(values) + 1, np.inf)
    cost[0] = 0
    for j in range(k, len(values) + 1):
        for i in range(max(0, j - 2 * k + 1), j - k + 1):
            group = values[i:j]
            cost[j] = min(cost[j], cost[i] + np.sum((group - group.mean()) ** 2))
    assert squares(values, optimal_bounds(values, k)) == pytest.approx(cost[-1], rel=1e-10)


def test_optimal_groups_are_never_worse_than_groups_of_fixed_size():
    values = np.sort(np.random.default_rng(3).standard_t(2, 5_003))
    for k in (2, 3, 10, 100):
        fixed = squares(values, fixed_size_bounds(len(values), k))
        assert squares(values, optimal_bounds(values, k)) <= fixed


def test_a_large_offset_and_a_heavy_tail_leave_the_groups_alone():
    small = np.sort(np.random.default_rng(4).integers(0, 2**20, 300)).astype(float)
    expected = optimal_bounds(small, 3)
    np.testing.assert_array_equal(optimal_bounds(small + 2.0**40, 3), expected)
    tail = np.logspace(12, 15, 30)
    np.testing.assert_array_equal(optimal_bounds(np.r_[small, tail], 3)[: len(expected)], expected)
    after_a_low_tail = optimal_bounds(np.r_[-tail[::-1], small], 3) - len(tail)
    np.testing.assert_array_equal(after_a_low_tail[-50:], expected[-50:])


def test_the_last_group_takes_the_remainder():
    np.testing.assert_array_equal(fixed_size_bounds(11, 3), [0, 3, 6])
    np.testing.assert_array_equal(np.diff(fixed_size_bounds(11, 3), append=11), [3, 3, 5])
    np.testing.assert_array_equal(fixed_size_bounds(0, 3), [])
    np.testing.assert_array_equal(optimal_bounds(np.empty(0), 3), [])


def test_fewer_than_2k_records_form_one_group():
    np.testing.assert_array_equal(fixed_size_bounds(5, 3), [0])
    np.testing.assert_array_equal(optimal_bounds(np.arange(5.0), 3), [0])


def test_fewer_than_k_records_are_refused():
    with pytest.raises(ValueError, match="2 records cannot form a group of 3"):
        fixed_size_bounds(2, 3)
    with pytest.raises(ValueError, match="2 records cannot form a group of 3"):
        optimal_bounds(np.arange(2.0), 3)
    with pytest.raises(ValueError, match="at least one record"):
        fixed_size_bounds(2, 0)


def test_means_of_equal_values_keep_the_value():
    values = np.repeat([0.1, 0.3, 1 / 3], 7)
    np.testing.assert_array_equal(group_means(values, np.array([0, 7, 14])), values)


def test_a_group_without_weight_has_its_plain_mean():
    means = group_means(np.array([1.0, 3.0, 5.0, 9.0]), np.array([0, 2]), np.array([0.0, 0.0, 3.0, 1.0]))
    np.testing.assert_array_equal(means, [2.0, 2.0, 6.0, 6.0])


@given(columns, st.integers(1, 4), st.booleans(), st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_masking_keeps_the_weighted_total_the_order_and_at_least_k_of_each_value(column, k, optimal, seed):
    values = np.array(column)
    k = min(k, len(values))
    weights = np.random.default_rng(seed).uniform(0.5, 20, len(values))
    masked = microaggregate_column(values, k, optimal=optimal, weights=weights)
    assert weights @ masked == pytest.approx(weights @ values, rel=1e-9, abs=1e-6 * (np.abs(values).max() + 1e-30))
    assert np.unique(masked, return_counts=True)[1].min() >= k
    order = np.argsort(values, kind="stable")
    assert np.all(np.diff(masked[order]) >= -1e-9 * np.abs(values).max())


def test_ties_go_by_row():
    masked = microaggregate_column(np.array([1.0, 1.0, 1.0, 1.0, 5.0, 3.0]), 3, optimal=False)
    np.testing.assert_allclose(masked, [1, 1, 1, 3, 3, 3])
