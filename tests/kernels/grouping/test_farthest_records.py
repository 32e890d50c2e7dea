import numpy as np
import pytest

from ammg.kernels.grouping.farthest_records import draw_outline, find_farthest
from ammg.kernels.grouping.removal_tree import build_tree, remove

RNG = np.random.default_rng(1)
FILES = {
    "gaussian": RNG.normal(size=(3000, 3)),
    "skewed": np.exp(RNG.normal(size=(3000, 6))),
    "far from zero": 1e9 + RNG.normal(size=(3000, 4)),
    "27 places, each taken many times": RNG.integers(0, 3, (3000, 3)).astype(float),
    "one column": RNG.normal(size=(1000, 1)),
    "all equal": np.ones((300, 2)),
}


@pytest.mark.parametrize("name", FILES)
def test_the_farthest_record_is_that_of_a_full_scan_until_nobody_is_left(name):
    data = FILES[name]
    tree, left = build_tree(data, np.arange(len(data))), np.arange(len(data))
    outline = draw_outline(tree, data.mean(axis=0))
    rng = np.random.default_rng(2)
    while len(left):
        for point in (data[rng.integers(len(data))], data.mean(axis=0), data[0] + rng.normal(size=data.shape[1])):
            squares = np.zeros(len(left))
            for j in range(data.shape[1]):  # in the order in which the kernel adds
                squares += (data[left, j] - point[j]) ** 2
            assert find_farthest(tree, outline, point) == left[np.argmax(squares)]
        for _ in range(min(len(left), 40)):
            record = find_farthest(tree, outline, data[rng.integers(len(data))])
            remove(tree, record)
            left = left[left != record]
    assert find_farthest(tree, outline, data[0]) == -1


def test_an_outline_sharpens_as_records_leave():
    data = FILES["gaussian"]
    tree = build_tree(data, np.arange(len(data)))
    outline = draw_outline(tree, np.zeros(3))
    top = outline.packs[-1].copy()
    for _ in range(500):
        remove(tree, find_farthest(tree, outline, data[7]))
    find_farthest(tree, outline, data[7])
    reach = outline.packs[-1, -1]
    assert (reach <= top[-1]).all()
    assert (reach < top[-1]).any()
    assert (outline.packs[-1, :3] >= top[:3]).all()
