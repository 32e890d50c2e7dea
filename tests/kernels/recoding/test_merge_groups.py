"""Groups are joined with the one they lose least with, never across strata."""

import numpy as np

from ammg.kernels.recoding.key_spans import Tree, key_spans, lost_in
from ammg.kernels.recoding.merge_groups import merge_groups


def test_the_partner_is_the_one_that_brute_force_finds() -> None:
    rng = np.random.default_rng(3)
    group = np.repeat(np.arange(30), 4)
    numbers = rng.random((120, 2))
    numbers[rng.random((120, 2)) < 0.1] = np.nan
    leaf = rng.integers(-1, 6, 120).astype(np.int32)
    above = np.where(leaf < 0, -1, leaf // 2).astype(np.int32)
    tree = Tree([leaf, above, np.where(leaf < 0, -1, 0).astype(np.int32)], [np.zeros(6), np.full(3, 0.2), np.ones(1)])
    keys, counts = key_spans(numbers, [tree]), rng.integers(1, 4, 120)
    stratum = np.arange(30) // 15
    failing = np.arange(30) == 7
    found = merge_groups(keys, group, counts, stratum, failing)

    def lost(joined: np.ndarray) -> float:
        return float(lost_in(keys, joined, counts).sum())

    others = [other for other in range(15) if other != 7]
    trials = [np.unique(np.where(group == other, 7, group), return_inverse=True)[1] for other in others]
    assert lost(found) == min(map(lost, trials))
    assert found.max() == 28
    alone = merge_groups(keys, group, counts, np.arange(30), failing)
    assert np.array_equal(alone, group)
