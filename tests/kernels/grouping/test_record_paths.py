import numpy as np
import pytest
from microaggregation_data import standardised, survey_like

from ammg.kernels.grouping.mdav import mdav_groups
from ammg.kernels.grouping.ordered_partition import ordered_groups
from ammg.kernels.grouping.partitions import within_squares
from ammg.kernels.grouping.record_paths import nearest_point_next, path_through_groups


def test_nearest_point_next_visits_the_nearest_record_not_visited():
    data = np.random.default_rng(2).normal(size=(120, 3))
    order = nearest_point_next(data)
    assert order[0] == np.argmax(((data - data.mean(axis=0)) ** 2).sum(axis=1))
    for t in range(119):
        rest = order[t + 1 :]
        assert rest[0] == rest[np.argmin(((data[rest] - data[order[t]]) ** 2).sum(axis=1))]


def test_a_tree_finds_the_path_of_full_scans(monkeypatch):
    data = survey_like(2_000)
    by_scans = nearest_point_next(data)
    monkeypatch.setattr("ammg.kernels.grouping.record_paths._FEW", 10)
    np.testing.assert_array_equal(nearest_point_next(data), by_scans)


def test_a_path_through_groups_keeps_them_together():
    data = np.random.default_rng(3).normal(size=(90, 2))
    group = mdav_groups(data, 3)
    order = path_through_groups(data, group)
    np.testing.assert_array_equal(np.sort(order), np.arange(90))
    assert np.count_nonzero(np.diff(group[order])) == group.max()
    assert within_squares(data, ordered_groups(data, order, 3)) <= within_squares(data, group) + 1e-9


@pytest.mark.parametrize("k", [3, 5, 10])
def test_the_best_cuts_of_the_path_are_never_worse_than_the_groups(k):
    data = standardised("EIA11")
    group = mdav_groups(data, k)
    better = ordered_groups(data, path_through_groups(data, group), k)
    assert within_squares(data, better) <= within_squares(data, group) + 1e-9
