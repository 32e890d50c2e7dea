import numpy as np
import pytest
from microaggregation_data import standardised

from ammg.kernels.mdav import mdav_groups
from ammg.kernels.mhm import mhm_groups, nearest_point_next, path_through_groups
from ammg.kernels.partitions import partition_sizes, within_squares
from ammg.kernels.univariate_groups import group_sizes, optimal_bounds


def least_squares(rows, k):
    """The least sum of squares over all partitions into consecutive groups of at least k rows, each one tried."""

    def partitions(end):
        if end == 0:
            yield []
        for start in range(end - k, -1, -1):
            for rest in partitions(start):
                yield [*rest, (start, end)]

    return min(sum(((rows[a:b] - rows[a:b].mean(axis=0)) ** 2).sum() for a, b in p) for p in partitions(len(rows)))


@pytest.mark.parametrize(("n", "k"), [(5, 2), (11, 2), (12, 3), (9, 4)])
def test_the_partition_of_an_order_is_the_best(n, k):
    rng = np.random.default_rng(n)
    data, order = rng.normal(size=(n, 3)), rng.permutation(n)
    group = mhm_groups(data, order, k)
    assert within_squares(data, group) == pytest.approx(least_squares(data[order], k), rel=1e-12)
    assert (np.diff(group[order]) >= 0).all()


def test_one_sorted_attribute_gives_the_groups_of_hansen_and_mukherjee():
    values = np.sort(np.random.default_rng(1).lognormal(size=500))
    group = mhm_groups(values[:, None], np.arange(500), 4)
    np.testing.assert_array_equal(partition_sizes(group), group_sizes(optimal_bounds(values, 4), 500))


def test_nearest_point_next_visits_the_nearest_record_not_visited():
    data = np.random.default_rng(2).normal(size=(120, 3))
    order = nearest_point_next(data)
    assert order[0] == np.argmax(((data - data.mean(axis=0)) ** 2).sum(axis=1))
    for t in range(119):
        rest = order[t + 1 :]
        assert rest[0] == rest[np.argmin(((data[rest] - data[order[t]]) ** 2).sum(axis=1))]


def test_a_path_through_groups_keeps_them_together():
    data = np.random.default_rng(3).normal(size=(90, 2))
    group = mdav_groups(data, 3)
    order = path_through_groups(data, group)
    np.testing.assert_array_equal(np.sort(order), np.arange(90))
    assert np.count_nonzero(np.diff(group[order])) == group.max()
    assert within_squares(data, mhm_groups(data, order, 3)) <= within_squares(data, group) + 1e-9


@pytest.mark.parametrize("k", [3, 5, 10])
def test_mhm_after_mdav_is_never_worse_than_mdav(k):
    data = standardised("EIA11")
    group = mdav_groups(data, k)
    better = mhm_groups(data, path_through_groups(data, group), k)
    assert within_squares(data, better) <= within_squares(data, group) + 1e-9


def test_fewer_than_2k_records_form_one_group_and_fewer_than_k_are_refused():
    np.testing.assert_array_equal(mhm_groups(np.zeros((5, 1)), np.arange(5), 3), np.zeros(5))
    with pytest.raises(ValueError, match="2 records cannot form a group of 3"):
        mhm_groups(np.zeros((2, 1)), np.arange(2), 3)
