import numpy as np
import pytest

from ammg.kernels.grouping import removal_tree
from ammg.kernels.grouping.removal_tree import build_tree, find_nearest, remove

GAUSSIAN = np.random.default_rng(1).normal(size=(400, 3))
DISCRETE = np.random.default_rng(2).integers(0, 3, (400, 3)).astype(float)  # 27 places, each taken many times


def nearest_by_scan(data, left, point, wanted):
    squares = ((data[left] - point) ** 2).sum(axis=1)
    return left[np.lexsort((left, squares))[:wanted]]


@pytest.mark.parametrize("processors", [1, 2])
@pytest.mark.parametrize("data", [GAUSSIAN, DISCRETE], ids=["gaussian", "discrete"])
def test_neighbours_are_those_of_a_full_scan_until_nobody_is_left(data, processors, monkeypatch):
    monkeypatch.setattr(removal_tree, "_LARGE", 0)
    monkeypatch.setattr(removal_tree, "processors", lambda: processors)
    tree = build_tree(data, np.arange(len(data)))
    left = np.arange(len(data))
    rng = np.random.default_rng(3)
    while len(left):
        point = data[rng.integers(len(data))]
        distances, records = np.empty(5), np.empty(5, np.int64)
        find_nearest(tree, point, distances, records)
        expected = nearest_by_scan(data, left, point, 5)
        np.testing.assert_array_equal(records[records >= 0], expected)
        np.testing.assert_allclose(distances[: len(expected)], ((data[expected] - point) ** 2).sum(axis=1))
        for record in records[records >= 0]:
            remove(tree, record)
        left = np.setdiff1d(left, records)


def test_a_tree_of_some_records_answers_with_their_ids():
    tree = build_tree(GAUSSIAN, np.array([7, 3, 11]))
    distances, records = np.empty(4), np.empty(4, np.int64)
    find_nearest(tree, GAUSSIAN[11], distances, records)
    assert records[0] == 11
    assert set(records[:3]) == {3, 7, 11}
    assert records[3] == -1
    assert np.isinf(distances[3])
