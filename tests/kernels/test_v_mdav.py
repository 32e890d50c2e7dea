import numpy as np
import pytest
from microaggregation_data import survey_like

from ammg.kernels.partitions import partition_sizes, within_squares
from ammg.kernels.v_mdav import v_mdav_groups


def v_mdav_step_by_step(data, k, gamma):
    """The algorithm as printed, one numpy line a step."""
    distance = np.sqrt(((data[:, None] - data[None]) ** 2).sum(axis=2))
    from_centre = ((data - data.mean(axis=0)) ** 2).sum(axis=1)
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
        min(roomy, key=lambda g: ((data[g].mean(axis=0) - data[i]) ** 2).sum()).append(i)
    group = np.empty(len(data), int)
    for label, members in enumerate(groups):
        group[members] = label
    return group


@pytest.mark.parametrize("gamma", [0.0, 0.2, 0.9, 1.1, 5.0])
@pytest.mark.parametrize(("n", "k"), [(3, 3), (11, 3), (60, 2), (61, 4), (80, 5)])
def test_groups_follow_the_printed_algorithm(n, k, gamma):
    data = np.random.default_rng(n).normal(size=(n, 2))
    np.testing.assert_array_equal(v_mdav_groups(data, k, gamma), v_mdav_step_by_step(data, k, gamma))


def test_clusters_larger_than_k_stay_together():
    rng = np.random.default_rng(0)
    cluster = np.repeat(np.arange(40), np.tile([3, 4], 20))
    data = 100 * rng.normal(size=(40, 2))[cluster] + 0.01 * rng.normal(size=(len(cluster), 2))
    fixed, variable = v_mdav_groups(data, 3, 0.0), v_mdav_groups(data, 3, 1.1)
    assert within_squares(data, variable) < 0.01 * within_squares(data, fixed)


@pytest.mark.parametrize("gamma", [0.2, 1.1, 100.0])
def test_groups_have_k_to_2k_minus_1_records(gamma):
    sizes = partition_sizes(v_mdav_groups(survey_like(3_001), 5, gamma))
    assert sizes.min() >= 5
    assert sizes.max() <= 9
