import numpy as np
import pytest

from ammg.kernels.grouping.partitions import centroids, information_loss, within_squares


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def test_centroids_are_the_means_of_the_groups(rng):
    data, group = rng.normal(1e3, 1, (60, 3)), rng.permutation(np.repeat(np.arange(12), 5))
    expected = np.array([data[group == g].mean(axis=0) for g in range(12)])
    np.testing.assert_allclose(centroids(data, group), expected, rtol=1e-14)


def test_weighted_centroids_keep_weighted_totals(rng):
    data, group = rng.normal(size=(60, 3)), rng.permutation(np.repeat(np.arange(12), 5))
    weights = rng.uniform(1, 100, 60)
    masked = centroids(data, group, weights)[group]
    np.testing.assert_allclose(weights @ masked, weights @ data, rtol=1e-12)


def test_equal_values_keep_their_value_and_missing_values_are_left_out():
    data = np.array([[0.1, np.nan], [0.1, 3.0], [0.1, 5.0], [7.0, np.nan]])
    means = centroids(data, np.array([0, 0, 0, 1]))
    np.testing.assert_array_equal(means, [[0.1, 4.0], [7.0, np.nan]])


def test_a_group_without_weight_has_its_plain_mean():
    means = centroids(np.array([[1.0], [3.0]]), np.zeros(2, np.int64), np.zeros(2))
    np.testing.assert_array_equal(means, [[2.0]])


def test_the_variance_lost_is_the_within_part(rng):
    data, group = rng.normal(size=(90, 2)), rng.permutation(np.repeat(np.arange(30), 3))
    masked = centroids(data, group)[group]
    lost = (np.var(data, axis=0, ddof=1) - np.var(masked, axis=0, ddof=1)).sum() * 89
    assert within_squares(data, group) == pytest.approx(lost, rel=1e-12)


def test_loss_is_zero_for_groups_of_one_and_100_for_one_group(rng):
    data = np.column_stack([rng.lognormal(size=(40, 2)), np.full(40, 3.0)])
    assert information_loss(data, np.arange(40)) == 0.0
    assert information_loss(data, np.zeros(40, np.int64)) == pytest.approx(100.0)
    assert information_loss(np.ones((4, 2)), np.zeros(4, np.int64)) == 0.0
