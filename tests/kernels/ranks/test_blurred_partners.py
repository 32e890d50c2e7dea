from __future__ import annotations

import numpy as np
import pytest

from ammg.kernels.ranks.blurred_partners import blurred_column
from ammg.kernels.ranks.rank_swap import swap_ranks
from ammg.kernels.ranks.swap_partners import pass_beliefs

NOTHING = np.empty((200, 0), dtype=np.int64)


@pytest.mark.parametrize("noise_first", [True, False])
def test_partners_are_followed_through_noise(noise_first):
    rng = np.random.default_rng(0)
    original, noise = rng.normal(size=(200, 5)), 0.05
    shown = original + noise * rng.normal(size=original.shape) * noise_first
    shown = np.column_stack([swap_ranks(column, 50, rng) for column in shown.T])
    shown = shown + noise * rng.normal(size=original.shape) * (not noise_first)
    ranks = [values.argsort(axis=0).argsort(axis=0) for values in (shown, original)]
    start = -8.0 * (np.abs(ranks[0][:, None] - ranks[1][None]) > 52).sum(axis=2).astype(float)
    spread = np.full(200, noise)
    columns = [blurred_column(*pair, spread) for pair in zip(original.T, shown.T, strict=True)]
    settled = pass_beliefs(start, NOTHING, NOTHING, columns)
    found = [(scores.argmax(axis=1) == np.arange(200)).mean() for scores in (start, settled)]
    assert found[1] > found[0] + 0.15


def test_owners_share_out_each_released_value_and_each_value_once():
    rng = np.random.default_rng(1)
    own = rng.normal(size=100)
    column = blurred_column(own, rng.permutation(own) + 0.01 * rng.normal(size=100), np.full(100, 0.01))
    by_person = column.shares[:, column.bins]
    assert by_person.sum(axis=1) == pytest.approx(np.ones(100), abs=0.1)
    assert by_person.sum(axis=0) == pytest.approx(np.ones(100), abs=0.1)


def test_missing_values_have_no_owner_and_no_bin():
    own, shown = np.array([1.0, np.nan, 3.0]), np.array([np.nan, 1.0, 3.0])
    column = blurred_column(own, shown, np.full(3, 0.1))
    assert column.bins[1] == -1
    assert not column.shares[0].any()
    assert blurred_column(np.full(3, np.nan), shown, np.full(3, 0.1)) is None
