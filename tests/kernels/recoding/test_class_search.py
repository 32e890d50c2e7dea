import numpy as np
import pytest

from ammg.kernels.recoding import class_search
from ammg.kernels.recoding.class_search import search_classes
from ammg.kernels.recoding.key_spans import Tree, key_spans, lost_in


def keys_of(n, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 6, n).astype(np.int32)
    tree = Tree([codes, codes // 2, np.zeros(n, np.int32)], [np.zeros(6), np.full(3, 0.3), np.ones(1)])
    return key_spans(rng.random((n, 2)), [tree]), rng.integers(0, n, (n, 8))


@pytest.mark.parametrize("in_vain", [0.25, 2.0])  # with pauses, and trying every batch
@pytest.mark.parametrize("n", [30, 400])
def test_moves_tried_by_threads_lead_to_the_groups_of_moves_in_order(n, in_vain, monkeypatch):
    keys, lists = keys_of(n)
    group = np.arange(n) // 5
    monkeypatch.setattr(class_search, "_IN_VAIN", in_vain)
    found = []
    for processors in (1, 3):
        monkeypatch.setattr("os.cpu_count", lambda processors=processors: processors)
        found.append(search_classes(keys, group, 5, lists, np.random.default_rng(1), 30_000))
    np.testing.assert_array_equal(*found)
    ones = np.ones(n, np.int64)
    assert lost_in(keys, found[0], ones).sum() < 0.9 * lost_in(keys, group, ones).sum()
    sizes = np.bincount(found[0])
    assert sizes.min() >= 5
    assert sizes.max() <= 9
