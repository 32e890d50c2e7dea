import numpy as np
import pytest
from microaggregation_data import survey_like

from ammg.kernels.grouping.local_search import default_iterations, most_groups, refine
from ammg.kernels.grouping.mdav import mdav_groups
from ammg.kernels.grouping.mixed_records import mixed_records, numeric_records
from ammg.kernels.grouping.partitions import within_squares


def all_partitions(n, k):
    """Every partition of n records into groups of at least k."""

    def extend(groups, rest):
        if not rest:
            if all(len(g) >= k for g in groups):
                yield groups
            return
        head, *tail = rest
        for g in range(len(groups)):
            yield from extend([*groups[:g], [*groups[g], head], *groups[g + 1 :]], tail)
        yield from extend([*groups, [head]], tail)

    yield from extend([], list(range(n)))


@pytest.mark.parametrize("seed", range(4))
def test_the_best_of_all_partitions_is_found_for_few_records(seed):
    data = np.random.default_rng(seed).normal(size=(9, 2))
    best = min(sum(((data[g] - data[g].mean(axis=0)) ** 2).sum() for g in groups) for groups in all_partitions(9, 2))
    group = refine(numeric_records(data), mdav_groups(data, 2), 2, np.random.default_rng(0), 500)
    assert within_squares(data, group) == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("k", [2, 3, 7, 40])
def test_sizes_stay_within_k_and_2k_minus_1_and_the_loss_never_grows(k):
    data = survey_like(701, k)
    start = mdav_groups(data, k)
    group = refine(numeric_records(data), start, k, np.random.default_rng(k), 300)
    sizes = np.bincount(group)
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1
    assert len(group) == 701
    assert within_squares(data, group) < within_squares(data, start)


def test_the_same_generator_gives_the_same_groups():
    data = survey_like(300)
    start = mdav_groups(data, 3)
    first, second, other = (
        refine(numeric_records(data), start, 3, np.random.default_rng(seed), 500) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, second)
    assert (first != other).any()


def test_fewer_groups_are_formed_where_clusters_are_larger_than_k():
    rng = np.random.default_rng(4)
    cluster = np.repeat(np.arange(12), 5)
    data = 100 * rng.normal(size=(12, 2))[cluster] + rng.normal(size=(60, 2))
    group = refine(numeric_records(data), mdav_groups(data, 3), 3, np.random.default_rng(0), 2_000)
    assert all(len(np.unique(group[cluster == c])) == 1 for c in range(12))


def test_categories_and_missing_values_are_grouped_by_what_is_alike():
    rng = np.random.default_rng(5)
    values = np.repeat(np.column_stack([rng.normal(size=8), rng.permutation(8)]), 4, axis=0)
    values[::4, 0] = np.nan
    records = mixed_records(values, np.array([False, True]))
    start = rng.permutation(np.repeat(np.arange(8), 4))
    group = refine(records, start, 4, np.random.default_rng(0), 2_000)
    assert all(len(np.unique(group[4 * g : 4 * g + 4])) == 1 for g in range(8))


def test_one_group_and_identical_records_are_left_alone():
    np.testing.assert_array_equal(
        refine(numeric_records(np.zeros((5, 1))), np.zeros(5, np.int64), 3, np.random.default_rng(0), 10), np.zeros(5)
    )
    start = np.repeat([0, 1], 4)
    same = refine(numeric_records(np.ones((8, 2))), start, 4, np.random.default_rng(0), 50)
    np.testing.assert_array_equal(same, start)


def test_the_default_budget_is_bounded_by_the_work_and_by_the_groups():
    assert default_iterations(30, 3) == 5_000
    assert 100_000 < default_iterations(100_000, 5) < 200_000
    assert default_iterations(10**7, 5) == 10**7
    assert [most_groups(k) for k in (2, 8, 10, 100)] == [8, 8, 6, 2]
