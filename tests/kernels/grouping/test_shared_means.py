import numpy as np
import pytest

from ammg.kernels.grouping.shared_means import shared_means, standard_scores

NAN = np.nan


def test_scores_have_mean_zero_and_variance_one_over_what_is_observed():
    values = np.array([[1.0, 1e9 + 0.1], [NAN, 1e9 + 0.1], [3.0, 1e9 + 0.1], [8.0, NAN]])
    scores = standard_scores(values)
    assert np.nanmean(scores[:, 0]) == pytest.approx(0)
    assert np.nanvar(scores[:, 0], ddof=1) == pytest.approx(1)
    np.testing.assert_array_equal(scores[:, 1], [0, 0, 0, NAN])
    assert values[0, 0] == 1  # as it was given


def test_weighted_means_take_the_place_of_values():
    values, group = np.array([[1.0], [2.0], [10.0], [20.0]]), np.array([0, 0, 1, 1])
    means = shared_means(values, group, 2, np.array([1.0, 3.0, 1.0, 0.0]))
    np.testing.assert_allclose(means[:, 0], [1.75, 1.75, 10, 10])


def test_values_left_alone_in_their_groups_are_grouped_anew():
    values = np.array([[1.0], [NAN], [3.0], [NAN], [5.0], [6.0]])
    means = shared_means(values, np.array([0, 0, 1, 1, 2, 2]), 2)
    np.testing.assert_allclose(means[:, 0], [2, NAN, 2, NAN, 5.5, 5.5])


def test_a_single_value_joins_the_nearest_full_group():
    values = np.array([[9.0], [NAN], [1.0], [3.0], [7.0], [11.0]])
    means = shared_means(values, np.array([0, 0, 1, 1, 2, 2]), 2)
    np.testing.assert_allclose(means[:, 0], [9, NAN, 2, 2, 9, 9])


def test_fewer_than_k_observed_values_are_refused():
    with pytest.raises(ValueError, match="Fewer than k values"):
        shared_means(np.array([[9.0], [NAN], [NAN], [NAN]]), np.array([0, 0, 1, 1]), 2)


def test_a_group_has_one_value_in_a_column_and_every_value_is_shared_by_k():
    rng = np.random.default_rng(5)
    values = np.where(rng.random((600, 4)) < 0.4, NAN, rng.lognormal(0, 2, (600, 4)))
    group, weights = rng.permutation(np.repeat(np.arange(200), 3)), rng.uniform(1, 9, 600)
    means = shared_means(values, group, 3, weights)
    np.testing.assert_array_equal(np.isnan(means), np.isnan(values))
    np.testing.assert_allclose(
        np.nansum(means * weights[:, None], axis=0), np.nansum(values * weights[:, None], axis=0)
    )
    for column in means.T:
        seen = ~np.isnan(column)
        assert np.unique(column[seen], return_counts=True)[1].min() >= 3
        assert len(np.unique(np.stack([group[seen], column[seen]]), axis=1).T) == len(np.unique(group[seen]))
