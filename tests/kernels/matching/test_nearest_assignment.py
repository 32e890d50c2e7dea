from __future__ import annotations

import numpy as np
import pytest

from ammg.kernels.kd_tree import ABSOLUTE, MISMATCH, SQUARED
from ammg.kernels.linkage.nearest import k_nearest
from ammg.kernels.matching import nearest_assignment
from ammg.kernels.matching.nearest_assignment import all_distances, assign_nearest


@pytest.fixture
def large(monkeypatch):
    """Take the way of large files for small ones."""
    monkeypatch.setattr(nearest_assignment, "DENSE_PAIRS", 0)


def files(n=400, noise=0.5, seed=0):
    rng = np.random.default_rng(seed)
    original = rng.normal(size=(n, 3))
    return original, original + noise * rng.normal(size=(n, 3))


def test_large_files_get_the_links_of_small_ones(monkeypatch):
    dense = assign_nearest(*files())
    monkeypatch.setattr(nearest_assignment, "DENSE_PAIRS", 0)
    assert np.array_equal(assign_nearest(*files()).links, dense.links)


@pytest.mark.parametrize("way", ["small", "large"])
def test_links_are_one_to_one_and_within_the_limit(way, request):
    if way == "large":
        request.getfixturevalue("large")
    original, masked = files(noise=1.0)
    links = assign_nearest(original, masked, limit=0.5).links
    linked = links >= 0
    assert 0 < linked.sum() < 400
    assert len(np.unique(links[linked])) == linked.sum()
    assert (((masked - original[links]) ** 2).sum(axis=1)[linked] < 0.5).all()


def test_assignment_finds_more_than_the_nearest_record_does():
    original, masked = files(noise=0.6)
    nearest = all_distances(original, masked, np.full(3, SQUARED), np.ones(3)).argmin(axis=1)
    truth = np.arange(400)
    assert (assign_nearest(original, masked).links == truth).sum() > (nearest == truth).sum()


def test_more_masked_than_original_records_leave_some_unlinked():
    original, masked = files(50)
    links = assign_nearest(original[:20], masked).links
    assert sorted(links[links >= 0]) == list(range(20))


def test_without_records_or_columns_nothing_is_linked():
    assert assign_nearest(np.empty((0, 2)), np.ones((2, 2))).links.tolist() == [-1, -1]
    assert assign_nearest(np.empty((3, 0)), np.ones((2, 0))).links.tolist() == [-1, -1]


def test_distances_of_numbers_and_codes_add_up():
    kinds = np.array([SQUARED, ABSOLUTE, MISMATCH])
    weights = np.array([9.0, 9.0, 0.5])
    assert all_distances(np.array([[0.0, 0, 1]]), np.array([[2.0, -3, 2]]), kinds, weights).tolist() == [[7.5]]


@pytest.mark.parametrize("share_missing", [0.0, 0.4])
def test_distances_are_those_of_a_search(share_missing, monkeypatch):
    rng = np.random.default_rng(0)
    kinds, weights = np.array([SQUARED, MISMATCH, ABSOLUTE]), np.array([1.0, 0.3, 1.0])
    people, records = (np.round(rng.normal(size=(n, 3))) for n in (1500, 40))
    for side in (people, records):
        side[rng.random(side.shape) < share_missing] = np.nan
    monkeypatch.setattr(nearest_assignment, "CELLS", 4000)
    distances = all_distances(people, records, kinds, weights)
    rows, near = k_nearest(people, records, 5, kinds=kinds, weights=weights)
    assert np.array_equal(near, np.sort(distances, axis=1)[:, :5])
    assert np.array_equal(near[near < np.inf], np.take_along_axis(distances, rows, axis=1)[near < np.inf])


def test_records_without_a_common_column_are_infinitely_far_apart():
    nothing, half = np.full((1, 2), np.nan), np.array([[1.0, np.nan], [np.inf, 2.0]])
    kinds, weights = np.full(2, SQUARED), np.ones(2)
    assert all_distances(half, np.concatenate([nothing, [[3.0, 4.0]]]), kinds, weights).tolist() == [
        [np.inf, np.inf],
        [8.0, np.inf],
    ]
