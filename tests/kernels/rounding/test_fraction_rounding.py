from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from ammg.kernels.rounding.fraction_rounding import round_fractions

fractions = arrays.arrays(
    float,
    st.tuples(st.integers(1, 9), st.integers(1, 9)),
    elements=st.one_of(st.sampled_from([0.0, 0.5, 0.25, 1.0]), st.floats(0, 1)),
)


def between(rounded: np.ndarray, true: np.ndarray) -> bool:
    return bool(((rounded >= np.floor(true + 1e-6)) & (rounded <= np.ceil(true - 1e-6))).all())


@settings(max_examples=200, deadline=None)
@given(matrix=fractions, seed=st.integers(0, 10**6))
def test_entries_rows_columns_and_total_go_to_neighbouring_integers(matrix, seed):
    rounded = round_fractions(matrix, np.random.default_rng(seed)).astype(float)
    assert between(rounded, matrix)
    assert between(rounded.sum(axis=1), matrix.sum(axis=1))
    assert between(rounded.sum(axis=0), matrix.sum(axis=0))
    assert between(rounded.sum(), matrix.sum())


def test_every_entry_is_one_with_its_own_probability():
    rng = np.random.default_rng(0)
    matrix = rng.integers(0, 10, (5, 4)) / 10
    repeats = 4000
    share = sum(round_fractions(matrix, rng).astype(float) for _ in range(repeats)) / repeats
    sigma = np.sqrt(matrix * (1 - matrix) / repeats)
    assert (np.abs(share - matrix) <= 4 * sigma + 1e-12).all()


def test_whole_margins_are_kept_exactly_on_a_large_matrix():
    rng = np.random.default_rng(1)
    matrix = np.full((300, 300), 0.01)
    rounded = round_fractions(matrix, rng)
    assert (rounded.sum(axis=0) == 3).all()
    assert (rounded.sum(axis=1) == 3).all()


def test_numbers_that_are_no_fractions_are_refused():
    with pytest.raises(ValueError, match="between 0 and 1"):
        round_fractions(np.array([[1.2]]), np.random.default_rng(0))
    assert round_fractions(np.empty((0, 3)), np.random.default_rng(0)).shape == (0, 3)
