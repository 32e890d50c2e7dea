import numpy as np
import pytest
from microaggregation_data import survey_like

from ammg.errors import Cancelled
from ammg.kernels.grouping import v_mdav
from ammg.kernels.grouping.partitions import within_squares
from ammg.kernels.grouping.v_mdav import v_mdav_groups
from ammg.progress import reporting


def available_squares(gaps):
    """Sum of squares over the coordinates that are there, scaled up for the others."""
    return np.nansum(gaps**2, axis=-1) * gaps.shape[-1] / np.count_nonzero(~np.isnan(gaps), axis=-1)


def v_mdav_step_by_step(data, k, gamma):
    """The algorithm as printed, one numpy line a step."""
    distance = np.sqrt(available_squares(data[:, None] - data[None]))
    from_centre = available_squares(data - np.nanmean(data, axis=0))
    left, groups = list(range(len(data))), []
    while len(left) >= k:
        seed = max(left, key=lambda i: (from_centre[i], -i))
        members = sorted(left, key=lambda i: (i != seed, distance[seed, i], i))[:k]
        left = [i for i in left if i not in members]
        while len(left) > k and len(members) < 2 * k - 1:
            closest = min(left, key=lambda i: (distance[members, i].min(), i))
            others = [i for i in left if i != closest]
            if distance[members, closest].min() >= gamma * distance[others, closest].min():
                break
            members, left = [*members, closest], others
        groups.append(members)
    for i in left:
        roomy = [g for g in groups if len(g) < 2 * k - 1]
        min(roomy, key=lambda g: available_squares(np.nanmean(data[g], axis=0) - data[i])).append(i)
    group = np.empty(len(data), int)
    for label, members in enumerate(groups):
        group[members] = label
    return group


@pytest.mark.parametrize("gamma", [0.0, 0.2, 0.9, 1.1, 5.0])
@pytest.mark.parametrize(("n", "k"), [(3, 3), (11, 3), (60, 2), (61, 4), (80, 5)])
def test_groups_follow_the_printed_algorithm(n, k, gamma):
    data = np.random.default_rng(n).normal(size=(n, 2))
    np.testing.assert_array_equal(v_mdav_groups(data, k, gamma), v_mdav_step_by_step(data, k, gamma))


@pytest.mark.parametrize("gamma", [0.0, 0.9, 5.0])
@pytest.mark.parametrize(("n", "k"), [(11, 3), (61, 4), (83, 5)])
def test_distances_use_the_values_that_both_records_have(n, k, gamma):
    rng = np.random.default_rng(n)
    data = rng.normal(size=(n, 4))
    data[rng.random((n, 4)) < 0.15] = np.nan
    data[:, 0] = rng.normal(size=n)
    group = v_mdav_groups(data, k, gamma)
    np.testing.assert_array_equal(group, v_mdav_step_by_step(data, k, gamma))
    assert (group != v_mdav_groups(np.nan_to_num(data), k, gamma)).any()


@pytest.mark.parametrize("gamma", [0.2, 1.1])
def test_a_tree_finds_the_groups_of_full_scans(gamma, monkeypatch):
    data = survey_like(3_000)
    by_scans = v_mdav_groups(data, 3, gamma)
    monkeypatch.setattr("ammg.kernels.grouping.v_mdav._FEW", 10)
    np.testing.assert_array_equal(v_mdav_groups(data, 3, gamma), by_scans)


FILES = {
    "skewed": survey_like(3_000),
    "with ties": np.random.default_rng(0).integers(0, 6, (3_000, 3)).astype(float),
    "mostly equal": np.repeat(np.random.default_rng(1).normal(size=(40, 2)), 75, axis=0),
}


@pytest.mark.parametrize("at_a_time", [1, 50, 3_000])
@pytest.mark.parametrize(("k", "gamma"), [(1, 0.2), (2, 1.1), (3, 0.2), (5, 0.0), (5, 3.0)])
@pytest.mark.parametrize("name", FILES)
def test_groups_formed_ahead_are_those_of_full_scans(name, k, gamma, at_a_time, monkeypatch):
    by_scans = v_mdav_groups(FILES[name], k, gamma)
    for constant, value in {"_FEW": 10, "_MANY": 0, "_LEAST": at_a_time, "_SMALL": 7}.items():
        monkeypatch.setattr(v_mdav, constant, value)
    for processors in (1, 2):
        monkeypatch.setattr(v_mdav, "processors", lambda processors=processors: processors)
        np.testing.assert_array_equal(v_mdav_groups(FILES[name], k, gamma), by_scans)


def test_grouping_by_a_tree_can_be_stopped_and_never_goes_back():
    seen = []
    with reporting(lambda done, total, _: seen.append(done / total)):
        v_mdav_groups(survey_like(30_000), 3)
    assert seen == sorted(seen)
    assert seen[-1] > 0.9
    with reporting(lambda done, total, _: done < total / 2), pytest.raises(Cancelled):
        v_mdav_groups(survey_like(30_000), 3)


def test_clusters_larger_than_k_stay_together():
    rng = np.random.default_rng(0)
    cluster = np.repeat(np.arange(40), np.tile([3, 4], 20))
    data = 100 * rng.normal(size=(40, 2))[cluster] + 0.01 * rng.normal(size=(len(cluster), 2))
    fixed, variable = v_mdav_groups(data, 3, 0.0), v_mdav_groups(data, 3, 1.1)
    assert within_squares(data, variable) < 0.01 * within_squares(data, fixed)


@pytest.mark.parametrize("gamma", [0.2, 1.1, 100.0])
def test_groups_have_k_to_2k_minus_1_records(gamma):
    sizes = np.bincount(v_mdav_groups(survey_like(3_001), 5, gamma))
    assert sizes.min() >= 5
    assert sizes.max() <= 9
