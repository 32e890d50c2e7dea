from __future__ import annotations

import csv

import numpy as np
import pytest

from ammg.kernels.matching.assignment import assign_within
from ammg.kernels.ranks.rank_swap import swap_ranks
from ammg.kernels.ranks.rank_windows import ANYWHERE, intersect_windows, rank_spans, window_pairs


def test_ties_share_their_ranks():
    spans = rank_spans(np.array([[5.0], [1], [5], [np.nan], [9]]))
    assert spans.first[:, 0].tolist() == [1, 0, 1, 0, 3]
    assert spans.last[:, 0].tolist() == [2, 0, 2, ANYWHERE, 3]


@pytest.mark.parametrize("levels", [3, 40, 10**6])
def test_the_truth_is_never_lost(levels):
    rng = np.random.default_rng(levels)
    original = rng.integers(0, levels, (300, 4)).astype(float)
    masked = np.column_stack([swap_ranks(column, 15, rng) for column in original.T])
    windows = intersect_windows(rank_spans(original), rank_spans(masked), np.full(4, 15), np.arange(300))
    assert windows.holds_truth.all()


def test_windows_hold_what_the_definition_says():
    rng = np.random.default_rng(1)
    original, masked = rng.permutation(60).astype(float), rng.permutation(60).astype(float)
    spans = rank_spans(original[:, None]), rank_spans(masked[:, None])
    windows = intersect_windows(*spans, np.array([7]), np.arange(60))
    near = np.abs(original[None] - masked[:, None]) <= 7
    assert np.array_equal(windows.size, near.sum(axis=1))
    assert np.array_equal(windows.chance, np.diag(near) / near.sum(axis=1))
    rows, columns, weight = window_pairs(*spans, np.array([7]), windows.size)
    assert np.array_equal(np.stack([rows, columns]), np.nonzero(near))
    assert np.allclose(-weight, ((masked[rows] - original[columns]) / 8) ** 2)


@pytest.mark.parametrize("percent", [5, 10, 15, 20])
def test_knowing_the_swap_range_undoes_rank_swapping_of_census(census, shared, percent):
    with (shared / "spec" / "targets" / "prototype_stronger_attacks_census.csv").open() as lines:
        row = next(r for r in csv.DictReader(lines) if r["masking"] == f"rnkswp{percent:02d}")
    reach = 1080 * percent // 100
    nearest, one_to_one = [], []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        masked = np.column_stack([swap_ranks(column, reach, rng) for column in census.T])
        spans = rank_spans(census), rank_spans(masked)
        windows = intersect_windows(*spans, np.full(13, reach), np.arange(1080))
        assert windows.holds_truth.all()
        nearest.append(windows.nearest.mean())
        pairs = window_pairs(*spans, np.full(13, reach), windows.size)
        one_to_one.append((assign_within(*pairs, (1080, 1080)).links == np.arange(1080)).mean())
    for found, target in ((nearest, float(row["reid_nearest"])), (one_to_one, float(row["reid_1to1"]))):
        assert np.mean(found) == pytest.approx(target, abs=0.05 if 0.3 <= target <= 0.95 else 0.02)
