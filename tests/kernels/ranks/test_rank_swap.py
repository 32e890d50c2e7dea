from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ammg.kernels.ranks.rank_swap import average_tails, random_order, swap_ranks, swap_ranks_buckets, swap_ranks_normal

VARIANTS = [swap_ranks, swap_ranks_normal, swap_ranks_buckets]
columns = st.lists(st.integers(0, 30), min_size=1, max_size=80)


def published_rule(size: int, reach: int, uniforms: np.ndarray) -> np.ndarray:
    """The rule of the paper, word for word, with its list of candidates written out each time."""
    partner = np.arange(size)
    free = np.ones(size, dtype=bool)
    for i in range(size):
        if not free[i]:
            continue
        free[i] = False
        candidates = [k for k in range(i + 1, min(size, i + reach + 1)) if free[k]]
        if candidates:
            k = candidates[int(uniforms[i] * len(candidates))]
            free[k] = False
            partner[i], partner[k] = k, i
    return partner


@pytest.mark.parametrize("swap", VARIANTS)
@settings(max_examples=60, deadline=None)
@given(values=columns, reach=st.integers(1, 90), seed=st.integers(0, 10**6))
def test_every_variant_keeps_the_multiset_and_the_input(swap, values, reach, seed):
    original = np.array(values, dtype=float)
    before = original.copy()
    masked = swap(original, reach, np.random.default_rng(seed))
    assert (np.sort(masked) == np.sort(original)).all()
    assert (original == before).all()


@settings(max_examples=60, deadline=None)
@given(size=st.integers(1, 200), reach=st.integers(1, 60), seed=st.integers(0, 10**6))
def test_no_value_moves_further_than_its_reach_and_swaps_are_mutual(size, reach, seed):
    rng = np.random.default_rng(seed)
    original = rng.permutation(size).astype(float)
    masked = swap_ranks(original, reach, rng)
    assert np.abs(masked - original).max() <= reach
    holder = np.empty(size, dtype=int)
    holder[original.astype(int)] = np.arange(size)
    assert (masked[holder[masked.astype(int)]] == original).all()


def test_partners_are_distributed_as_in_the_published_rule():
    size, reach, repeats = 12, 4, 6000
    rng = np.random.default_rng(11)
    ranks = np.arange(size, dtype=float)
    ours = np.zeros((size, size))
    theirs = np.zeros((size, size))
    for _ in range(repeats):
        ours[np.arange(size), swap_ranks(ranks, reach, rng).astype(int)] += 1
        theirs[np.arange(size), published_rule(size, reach, rng.random(size))] += 1
    spread = np.sqrt((ours + theirs) * (1 - (ours + theirs) / (2 * repeats))) + 1
    assert (np.abs(ours - theirs) < 4.5 * spread).all()


def test_only_a_value_without_a_free_partner_stays():
    masked = swap_ranks(np.arange(1001.0), 1, np.random.default_rng(0))
    assert (masked[:1000] == np.arange(1000) + np.tile([1, -1], 500)).all()
    assert masked[1000] == 1000


def test_equal_values_are_ranked_at_random():
    values = np.array([1.0, 1.0, 1.0, 2.0])
    rng = np.random.default_rng(5)
    first = np.bincount([random_order(values, rng)[0] for _ in range(3000)], minlength=4)
    assert first[3] == 0
    assert (np.abs(first[:3] - 1000) < 4 * np.sqrt(3000 * 2 / 9)).all()


def test_a_reach_of_nothing_is_refused():
    for swap in VARIANTS:
        with pytest.raises(ValueError, match="too small for 3 values"):
            swap(np.array([1.0, 2.0, 3.0]), 0, np.random.default_rng(0))


@pytest.mark.parametrize("swap", VARIANTS)
def test_empty_single_and_constant_columns_stay_as_they_are(swap):
    rng = np.random.default_rng(0)
    assert len(swap(np.empty(0), 1, rng)) == 0
    assert swap(np.array([7.0]), 3, rng) == [7.0]
    assert (swap(np.full(20, 3.0), 5, rng) == 3.0).all()


def test_normal_distances_exceed_any_window_and_have_the_mean_of_the_law():
    size, reach = 100_000, 1000
    moved = np.abs(swap_ranks_normal(np.arange(float(size)), reach, np.random.default_rng(2)) - np.arange(size))
    expected = 0.5 * reach * (np.sqrt(2 / np.pi) * np.exp(-0.5) + 1 - 2 * 0.15865525)  # mean of |N(500, 500²)|
    # Free ranks thin out below the target, so partners lie a little further than drawn.
    assert expected < moved.mean() < 1.2 * expected
    assert moved.max() > reach


def test_bucket_distances_fall_by_half():
    size, reach = 64_000, 1000
    masked = swap_ranks_buckets(np.arange(float(size)), reach, np.random.default_rng(3))
    # The first bucket meets nothing swapped before, so its partners follow the law of the paper.
    steps = np.bincount((masked[:reach] // reach).astype(int), minlength=4)[:4]
    own = 2 * reach / 3  # half of the draws stay and settle two values each: draws + draws / 2 = reach
    assert abs(steps[0] - own) < 80
    assert abs(steps[1] - (reach - own) / 2) < 60
    assert abs(steps[2] - (reach - own) / 4) < 50


@settings(max_examples=100, deadline=None)
@given(values=columns, data=st.data())
def test_tails_become_their_mean_and_keep_the_total_and_all_ranks_but_for_ties(values, data):
    original = np.array(values, dtype=float)
    top, bottom = (data.draw(st.integers(0, len(original) // 2)) for _ in range(2))
    masked = average_tails(original, top, bottom)
    assert masked.sum() == pytest.approx(original.sum(), rel=1e-12)
    order = np.argsort(original, kind="stable")
    assert (np.diff(masked[order]) >= 0).all()
    high, low = original > np.sort(original)[::-1][top], original < np.sort(original)[bottom]
    assert high.sum() <= top
    assert low.sum() <= bottom
    for tail in (high, low):
        if tail.any():
            np.testing.assert_allclose(masked[tail], original[tail].mean(), rtol=1e-12)
    assert (masked[~high & ~low] == original[~high & ~low]).all()


def test_tails_never_cut_a_tie_and_equal_values_keep_their_bits():
    assert average_tails(np.array([1.0, 3, 3, 3, 8, 4]), 3, 0).tolist() == [1, 3, 3, 3, 6, 6]  # three of 3, 3, 3, 4, 8
    assert average_tails(np.array([0.0, 0.1, 0.1, 0.1]), 2, 0).tolist() == [0, 0.1, 0.1, 0.1]
    assert average_tails(np.array([0.0, 0, 0, 0.1, 0.1, 0.1]), 3, 3).tolist() == [0, 0, 0, 0.1, 0.1, 0.1]
    assert average_tails(np.empty(0), 0, 0).tolist() == []
