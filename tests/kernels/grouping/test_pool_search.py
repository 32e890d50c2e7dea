import numpy as np
import pytest
from numba import njit

from ammg.kernels.grouping import pool_search
from ammg.kernels.grouping.mixed_records import numeric_records
from ammg.kernels.grouping.pool_search import empty_pool


@njit
def measure_distances(pool, count, records):
    """Parts of kernels are called by compiled code alone."""
    pool_search.measure_distances(pool, count, records)


@njit
def add_up(pool, count, groups):
    return pool_search.add_up(pool, count, groups)


@njit
def improve(pool, count, groups, k):
    pool_search.improve(pool, count, groups, k)


@njit
def regroup(pool, count, groups, k, state):
    pool_search.regroup(pool, count, groups, k, state)


@njit
def squares_within(pool, groups):
    return pool_search.squares_within(pool, groups)


def pool_of(data, label):
    pool = empty_pool(len(data) + 3, 5)
    pool.records[: len(data)] = np.arange(len(data))
    pool.label[: len(data)] = label
    measure_distances(pool, len(data), numeric_records(data))
    return pool


def squares(data, label):
    return sum(((data[label == g] - data[label == g].mean(axis=0)) ** 2).sum() for g in np.unique(label))


def test_sums_of_pair_distances_are_the_squares_about_the_means():
    data, label = np.random.default_rng(0).normal(size=(12, 3)), np.repeat([0, 1, 2], [3, 5, 4])
    pool = pool_of(data, label)
    assert add_up(pool, 12, 3) == pytest.approx(squares(data, label), rel=1e-12)
    np.testing.assert_array_equal(pool.size[:3], [3, 5, 4])


@pytest.mark.parametrize("seed", range(10))
def test_no_single_relocation_or_swap_helps_afterwards(seed):
    rng = np.random.default_rng(seed)
    data, k = rng.normal(size=(17, 2)), 3
    pool = pool_of(data, rng.permutation(np.repeat([0, 1, 2, 3], [3, 4, 5, 5])))
    before = add_up(pool, 17, 4)
    improve(pool, 17, 4, k)
    label = pool.label[:17].copy()
    best = squares(data, label)
    assert best < before
    assert squares_within(pool, 4) == pytest.approx(best, rel=1e-9)
    sizes = np.bincount(label)
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1
    for s in range(17):
        for g in range(4):
            if g != label[s] and sizes[label[s]] > k and sizes[g] < 2 * k - 1:
                moved = label.copy()
                moved[s] = g
                assert squares(data, moved) >= best - 1e-9
        for t in range(s):
            swapped = label.copy()
            swapped[[s, t]] = label[[t, s]]
            assert squares(data, swapped) >= best - 1e-9


@pytest.mark.parametrize("groups", [2, 3, 4])
@pytest.mark.parametrize(
    "data", [np.random.default_rng(1).normal(size=(14, 2)), np.zeros((14, 2))], ids=["any", "same"]
)
def test_regrouping_forms_groups_of_k_to_2k_minus_1(data, groups):
    k = 3 if groups > 2 else 4
    pool = pool_of(data, np.zeros(14, np.int64))
    state = np.array([5], dtype=np.uint64)
    for _ in range(20):
        regroup(pool, 14, groups, k, state)
        sizes = np.bincount(pool.label[:14], minlength=groups)
        assert sizes.min() >= k
        assert sizes.max() <= 2 * k - 1
