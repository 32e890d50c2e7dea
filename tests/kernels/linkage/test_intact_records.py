from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ammg.kernels.linkage.intact_records import Files


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

    sides = Files(original, masked)
    assert np.array_equal(sides.shows(original, tolerance), count(masked) > 0)
    assert np.array_equal(sides.alike(original, tolerance), np.maximum(count(original), 1))


def test_original_rows_disclose_everybody_whatever_their_link():
    original = np.random.default_rng(0).normal(size=(100, 3))
    released = np.random.default_rng(1).permutation(original)
    assert Files(original, released).shows(original, np.zeros(3)).all()


def test_people_alike_are_counted_and_suppression_protects():
    original = np.array([[1.0, 2.0], [1.0, 2.0], [5.0, 6.0], [7.0, 8.0]])
    released = np.array([[1.0, 2.0], [5.0, np.nan]])
    sides = Files(original, released)
    assert sides.shows(original, np.zeros(2)).tolist() == [True, True, False, False]
    assert sides.alike(original, np.zeros(2)).tolist() == [2, 2, 1, 1]


def test_a_target_alone_can_be_asked_for():
    original = np.array([[1.0], [2.0], [3.0]])
    sides = Files(original, np.array([[3.004]]))
    assert sides.shows(original[2:], np.array([0.01])).tolist() == [True]
    assert sides.alike(original[:0], np.array([0.01])).tolist() == []
