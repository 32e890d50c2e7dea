from __future__ import annotations

import numpy as np

from ammg.kernels.ranks.rank_swap import swap_ranks
from ammg.kernels.ranks.swap_partners import pass_beliefs, value_classes


def test_swaps_over_the_half_of_all_ranks_are_undone_from_no_more_than_a_window():
    rng = np.random.default_rng(0)
    original = rng.normal(size=(200, 4))
    masked = np.column_stack([swap_ranks(column, 60, rng) for column in original.T])
    ranks = [values.argsort(axis=0).argsort(axis=0) for values in (masked, original)]
    start = -8.0 * (np.abs(ranks[0][:, None] - ranks[1][None]) > 60).sum(axis=2).astype(float)
    settled = pass_beliefs(start, *value_classes(original, masked))
    assert (settled.argmax(axis=1) == np.arange(200)).mean() > 0.97
    assert (start.argmax(axis=1) == np.arange(200)).mean() < 0.5


def test_values_of_one_file_alone_have_no_class():
    before, after = value_classes(np.array([[1.0], [2.0], [np.nan]]), np.array([[2.0], [5.0], [2.0]]))
    assert before[:, 0].tolist() == [-1, 0, -1]
    assert after[:, 0].tolist() == [0, -1, 0]


def test_without_common_values_nothing_is_passed():
    start = np.zeros((3, 3))
    assert (pass_beliefs(start, *value_classes(np.zeros((3, 1)), np.ones((3, 1)))) == start).all()
