from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from ammg.kernels.ranks.rank_permutation import permuted_sources


def test_all_permutations_within_reach_are_equally_likely():
    allowed = [p for p in permutations(range(4)) if max(abs(i - j) for i, j in enumerate(p)) <= 1]
    rng = np.random.default_rng(0)
    drawn = [tuple(permuted_sources(np.arange(4.0), 1, rng).tolist()) for _ in range(4000)]
    counts = [drawn.count(p) for p in allowed]
    assert sum(counts) == 4000
    assert np.array(counts) / 4000 == pytest.approx(np.full(len(allowed), 1 / len(allowed)), abs=0.03)


def test_moves_are_spread_evenly_over_the_reach():
    moves = np.arange(20_000) - permuted_sources(np.arange(20_000.0), 50, np.random.default_rng(1))
    inside = moves[100:-100]
    counts = np.bincount(inside + 50, minlength=101)
    assert counts.std() / counts.mean() < 0.12


def test_one_value_stays():
    assert permuted_sources(np.array([3.0]), 1, np.random.default_rng(0)).tolist() == [0]
