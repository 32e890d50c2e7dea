from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ammg.kernels.intact_records import find_intact, robust_spread


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 80), st.integers(1, 4), st.floats(0, 0.3))
def test_counts_are_those_of_all_pairs(seed, n, m, missing):
    rng = np.random.default_rng(seed)
    original, masked = (rng.integers(0, 5, (k, m)).astype(float) for k in (n, n + 5))
    original[rng.random(original.shape) < missing] = np.nan
    masked[rng.random(masked.shape) < missing] = np.nan
    tolerance = rng.integers(0, 2, m).astype(float)

    def count(records):
        near = np.abs(original[:, None] - records[None]) <= tolerance
        return (near | np.isnan(original)[:, None]).all(axis=2).sum(axis=1)

    found = find_intact(original, masked, tolerance)
    assert np.array_equal(found.released, count(masked))
    assert np.array_equal(found.alike, np.maximum(count(original), 1))


def test_original_rows_disclose_everybody_whatever_their_link():
    original = np.random.default_rng(0).normal(size=(100, 3))
    released = np.random.default_rng(1).permutation(original)
    assert (find_intact(original, released, np.zeros(3)).credit == 1).all()


def test_people_alike_share_the_risk_and_suppression_protects():
    original = np.array([[1.0, 2.0], [1.0, 2.0], [5.0, 6.0], [7.0, 8.0]])
    released = np.array([[1.0, 2.0], [5.0, np.nan]])
    assert find_intact(original, released, np.zeros(2)).credit.tolist() == [0.5, 0.5, 0, 0]


def test_a_target_alone_can_be_asked_for():
    original = np.array([[1.0], [2.0], [3.0]])
    assert find_intact(original, np.array([[3.004]]), np.array([0.01]), np.array([2])).credit.tolist() == [1]


def test_the_spread_of_numbers_is_their_deviation_and_no_outlier_widens_it():
    values = np.random.default_rng(0).normal(5, 2, size=(20_000, 2))
    values[0, 1] = 1e9
    spread = robust_spread(np.column_stack([values, values[:, 0]]), np.array([False, False, True]))
    assert np.allclose(spread[:2], 2, rtol=0.03)
    assert spread[2] == 0


def test_the_spread_of_numbers_that_are_mostly_zero_is_that_of_the_others():
    values = np.concatenate([np.zeros(900), np.random.default_rng(1).normal(10, 3, 100), [np.nan, 1e9]])[:, None]
    assert 2 < robust_spread(values, np.array([False]))[0] < 4
    assert robust_spread(np.ones((5, 1)), np.array([False])).tolist() == [0]
