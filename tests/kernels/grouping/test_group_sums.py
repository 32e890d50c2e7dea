from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from ammg.kernels.grouping.group_sums import _subset, records_of_groups, zero_sum_groups


def grouped(size: int, groups: int, seed: int = 0):
    rng = np.random.default_rng(seed)
    label = np.repeat(np.arange(groups), size)
    centre = 3 * rng.normal(size=(groups, 5))
    noise = rng.normal(size=(12, size * groups, 5))
    for group in range(groups):
        noise[:, label == group] -= noise[:, label == group].mean(axis=1, keepdims=True)
    return label, centre[label], noise, rng


def test_noise_that_adds_up_to_nothing_shows_who_is_together():
    label, centre, noise, _ = grouped(4, 30)
    found = zero_sum_groups(noise.transpose(1, 0, 2).reshape(120, -1), centre)
    same = label[:, None] == label[None]
    assert (found >= 0).all()
    assert ((found[:, None] == found[None]) == same).all()


def test_independent_noise_shows_no_groups():
    rng = np.random.default_rng(1)
    assert (zero_sum_groups(rng.normal(size=(60, 80)), rng.normal(size=(60, 3))) == -1).all()


def test_records_are_found_by_the_sum_of_their_group():
    label, centre, noise, rng = grouped(5, 20)
    released = centre + noise[0]
    order = rng.permutation(100)
    sums = np.stack([centre[label == group].sum(axis=0) for group in range(20)])
    distances = ((released[order][None] - centre[::5][:, None]) ** 2).sum(axis=2)
    found = records_of_groups(released[order], sums, np.full(20, 5), np.argsort(distances, axis=1))
    assert (found == label[order]).mean() > 0.95


@pytest.mark.parametrize("slack", [1e-6, 2e-3, 0.3])
@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_the_closest_sum_is_that_of_all_subsets(size: int, slack: float):
    rng = np.random.default_rng(size)
    points = rng.normal(size=(14, 3))
    by_column = slack * np.array([1.0, 0.1, 3.0])
    wanted = points[[3, 9, 1, 12, 6][:size]].sum(axis=0) + by_column * rng.uniform(-size / 3, size / 3, 3)
    turn = rng.normal(size=(3, 2)) / by_column[:, None]
    chosen = _subset(points, points @ turn, wanted, turn, size, by_column)
    subsets = np.array(list(combinations(range(14), size)))
    gaps = (np.abs(points[subsets].sum(axis=1) - wanted) / (size * by_column)).max(axis=1)
    assert chosen is not None
    assert sorted(chosen) == list(subsets[gaps.argmin()])
    assert _subset(points, points @ turn, wanted + 100.0, turn, size, by_column) is None
