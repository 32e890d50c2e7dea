from itertools import combinations

import numpy as np
import pytest

from ammg.kernels.grouping import ordered_partition
from ammg.kernels.grouping.ordered_partition import component_order, even_groups, ordered_groups, sum_order
from ammg.kernels.grouping.partitions import within_squares
from ammg.kernels.grouping.univariate_groups import optimal_bounds


def least_loss(line, k):
    """The least sum of squares over all ways to cut a line into groups of at least k, one by one."""
    n, best = len(line), np.inf
    for cuts in (c for count in range(n // k) for c in combinations(range(k, n - k + 1), count)):
        parts = np.split(line, cuts)
        if min(map(len, parts)) >= k:
            best = min(best, sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts))
    return best


@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("n", [4, 7, 11, 12])
def test_the_groups_are_those_of_least_loss_among_all(n, k):
    rng = np.random.default_rng(10 * n + k)
    data, order = rng.lognormal(size=(n, 3)), rng.permutation(n)
    group = ordered_groups(data, order, k)
    assert within_squares(data, group) == pytest.approx(least_loss(data[order], k), rel=1e-12, abs=1e-12)
    sizes = np.bincount(group)
    assert sizes.min() >= k
    assert sizes.max() <= max(2 * k - 1, 1)
    assert np.all(np.diff(group[order]) >= 0)


@pytest.mark.parametrize("k", [2, 3, 10])
def test_one_column_is_cut_as_by_the_univariate_kernel(k):
    values = np.sort(np.random.default_rng(k).lognormal(size=500))
    group = ordered_groups(values[:, None], np.arange(500), k)
    np.testing.assert_array_equal(np.flatnonzero(np.diff(group, prepend=-1)), optimal_bounds(values, k))


@pytest.mark.parametrize("k", [1, 3, 10])
def test_a_line_cut_in_parts_has_the_groups_of_the_whole_line(k, monkeypatch):
    data = np.random.default_rng(k).lognormal(size=(500, 2))
    whole = ordered_groups(data, np.argsort(data[:, 0]), k)
    for constant, value in {"_CELLS": 70, "_ENDS": 5, "_ROWS": 9}.items():
        monkeypatch.setattr(ordered_partition, constant, value)
    np.testing.assert_array_equal(ordered_groups(data, np.argsort(data[:, 0]), k), whole)


def test_an_offset_costs_no_digits():
    data = np.random.default_rng(0).normal(size=(200, 2))
    order = np.argsort(data[:, 0])
    np.testing.assert_array_equal(ordered_groups(data, order, 3), ordered_groups(data + 1e6, order, 3))


@pytest.mark.parametrize(("n", "sizes"), [(6, [3, 3]), (7, [3, 4]), (8, [3, 5]), (3, [3])])
def test_even_groups_have_k_records_and_the_last_has_the_rest(n, sizes):
    order = np.random.default_rng(n).permutation(n)
    group = even_groups(order, 3)
    np.testing.assert_array_equal(np.bincount(group), sizes)
    assert (np.diff(group[order]) >= 0).all()


def test_the_first_component_orders_records_along_their_longest_axis():
    rng = np.random.default_rng(1)
    along, across = rng.normal(size=300) * 10, rng.normal(size=300) * 0.001
    data = np.column_stack([along - across, -along - across]) + 5
    order = component_order(data)
    assert np.array_equal(order, np.argsort(along)) or np.array_equal(order, np.argsort(-along))
    np.testing.assert_array_equal(sum_order(data), np.argsort(-across))


def test_groups_with_missing_values_are_those_of_least_loss_among_all():
    rng = np.random.default_rng(5)
    data = rng.lognormal(size=(11, 3))
    data[rng.random((11, 3)) < 0.3] = np.nan
    group = ordered_groups(data, np.arange(11), 3)
    ways = [
        np.repeat(np.arange(len(sizes)), sizes) for sizes in ([3, 3, 5], [3, 5, 3], [5, 3, 3], [3, 4, 4], [4, 3, 4])
    ]
    ways.append(np.repeat([0, 1, 2], [4, 4, 3]))
    assert within_squares(data, group) == pytest.approx(min(within_squares(data, way) for way in ways), rel=1e-12)


@pytest.mark.parametrize("order_of", [component_order, sum_order])
def test_records_with_missing_values_stand_near_where_all_their_values_would_put_them(order_of):
    rng = np.random.default_rng(6)
    factor = rng.normal(size=2_000)
    data = factor[:, None] + 0.1 * rng.normal(size=(2_000, 6))
    data[rng.random(data.shape) < 0.3] = np.nan
    place = np.argsort(order_of(data))
    filled = np.argsort(order_of(np.nan_to_num(data)))
    truth = np.argsort(np.argsort(factor))
    assert np.abs(place - truth).mean() < 0.5 * np.abs(filled - truth).mean()
    assert np.corrcoef(place, truth)[0, 1] > 0.98


def test_the_component_is_that_of_the_records_that_have_both_columns():
    rng = np.random.default_rng(7)
    first = rng.normal(size=4_000)
    data = np.column_stack([first, first + 0.05 * rng.normal(size=4_000), 1.2 * rng.normal(size=4_000)])
    data[rng.random(4_000) < 0.7, 1] = np.nan  # as zeros they would hide that two columns go together
    alone = np.isnan(data[:, 1])
    order = component_order(data)
    place = np.argsort(order)
    assert abs(np.corrcoef(place[~alone], first[~alone])[0, 1]) > 0.9
    filled = np.argsort(component_order(np.nan_to_num(data)))
    assert abs(np.corrcoef(filled[~alone], first[~alone])[0, 1]) < 0.5


def test_equal_records_stay_in_the_order_of_their_rows():
    np.testing.assert_array_equal(component_order(np.zeros((5, 2))), np.arange(5))
    np.testing.assert_array_equal(ordered_groups(np.zeros((5, 2)), np.arange(5), 5), np.zeros(5))


def test_too_few_records_and_infinities_are_refused():
    with pytest.raises(ValueError, match="2 records cannot form a group of 3"):
        ordered_groups(np.zeros((2, 1)), np.arange(2), 3)
    with pytest.raises(ValueError, match="finite"):
        ordered_groups(np.array([[1.0], [np.inf]]), np.arange(2), 1)
    with pytest.raises(ValueError, match="too large"):
        ordered_groups(np.array([[1e200], [-1e200], [1e200]]), np.arange(3), 2)
