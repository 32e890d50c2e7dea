import numpy as np
import pytest
from microaggregation_data import published_losses, standardised, survey_like

from ammg.kernels.grouping.mdav import mdav_by_tree, mdav_groups
from ammg.kernels.grouping.mdav_plain import mdav_by_scans
from ammg.kernels.grouping.partitions import information_loss


def mdav_step_by_step(data, k):
    """The algorithm as printed, one numpy line a step."""
    group, left, label = np.full(len(data), -1), np.arange(len(data)), 0

    def farthest(point):
        return left[np.argmax(((data[left] - point) ** 2).sum(axis=1))]

    def take(seed):
        nonlocal left, label
        squares = ((data[left] - data[seed]) ** 2).sum(axis=1)
        squares[left == seed] = -1
        members = left[np.argsort(squares, kind="stable")[:k]]
        group[members], left, label = label, np.setdiff1d(left, members), label + 1

    while len(left) >= 3 * k:
        r = farthest(data[left].mean(axis=0))
        take(r)
        take(farthest(data[r]))
    if len(left) >= 2 * k:
        take(farthest(data[left].mean(axis=0)))
    group[left] = label
    return group


@pytest.mark.parametrize("k", [1, 2, 3, 5, 7])
@pytest.mark.parametrize("n", [7, 35, 101])
def test_both_kernels_follow_the_printed_algorithm(n, k):
    data = np.random.default_rng(n + k).normal(size=(n, 4))
    expected = mdav_step_by_step(data, k)
    np.testing.assert_array_equal(mdav_by_scans(data, k), expected)
    np.testing.assert_array_equal(mdav_by_tree(data, k), expected)


def test_squares_too_small_for_full_precision_are_compared_as_in_full_scans():
    data = 1e-160 * np.random.default_rng(1).normal(size=(3_000, 3))
    np.testing.assert_array_equal(mdav_by_tree(data, 3), mdav_by_scans(data, 3))


@pytest.mark.parametrize("k", [2, 3, 10])
def test_the_tree_finds_the_same_groups_as_full_scans(k):
    rng = np.random.default_rng(k)
    coarse = rng.integers(0, 4, (3_000, 3)).astype(float)
    for data in (rng.normal(size=(3_000, 6)), rng.normal(size=(500, 13)), survey_like(5_000, k), coarse, coarse + 1e7):
        np.testing.assert_array_equal(mdav_by_tree(data, k), mdav_by_scans(data, k))


def test_identical_records_are_grouped_by_their_ids():
    data = np.zeros((8, 2))
    np.testing.assert_array_equal(mdav_by_scans(data, 2), [0, 0, 1, 1, 2, 2, 3, 3])
    np.testing.assert_array_equal(mdav_by_tree(data, 2), [0, 0, 1, 1, 2, 2, 3, 3])


@pytest.mark.parametrize(("n", "k"), [(3, 3), (5, 3), (6, 3), (8, 3), (9, 3), (2_500, 7)])
def test_groups_have_k_to_2k_minus_1_records(n, k):
    sizes = np.bincount(mdav_groups(np.random.default_rng(n).normal(size=(n, 2)), k))
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1
    assert sizes.sum() == n


@pytest.mark.parametrize(("name", "k", "loss"), published_losses())
def test_the_information_loss_is_the_published_one(name, k, loss):
    data = standardised(name)
    assert information_loss(data, mdav_groups(data, k)) == pytest.approx(loss, abs=1e-5)


def test_too_few_records_and_infinite_values_are_refused():
    with pytest.raises(ValueError, match="2 records cannot form a group of 3"):
        mdav_groups(np.zeros((2, 1)), 3)
    with pytest.raises(ValueError, match="finite"):
        mdav_groups(np.array([[1.0], [np.inf], [0.0]]), 3)


def test_values_whose_distances_overflow_are_refused():
    with pytest.raises(ValueError, match="overflow: divide the values by a constant"):
        mdav_groups(np.full((10, 2), -1e151), 3)
