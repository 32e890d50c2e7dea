"""What records miss of a linear identity, and what identities give back."""

import numpy as np
import pytest

from ammg.kernels.residues import Terms, recoverable, residues


def test_parts_merge_to_the_whole() -> None:
    rng = np.random.default_rng(0)
    values, coefficients = rng.normal(50, 20, (1000, 3)).round(2), np.array([1.0, -2.0, 0.5])
    whole = Terms.of(values, coefficients)
    merged = Terms.of(values[:300], coefficients).merge(Terms.of(values[300:], coefficients))
    assert merged.records == 1000
    np.testing.assert_allclose(merged.means, whole.means)
    np.testing.assert_allclose(merged.squares, whole.squares)
    assert merged.tolerance(0) == pytest.approx(whole.tolerance(0))
    assert Terms.of(values[:0], coefficients).merge(whole) == whole


def test_rounding_is_allowed_for_where_it_hides_little() -> None:
    rng = np.random.default_rng(0)
    coefficients = np.array([1.0, -1.0])
    wide = rng.integers(0, 100_000, (500, 2)).astype(float)
    narrow = rng.integers(0, 10, (500, 2)).astype(float)
    assert Terms.of(wide, coefficients).tolerance(0) == 1.0
    assert Terms.of(narrow, coefficients).tolerance(0) < 1e-6
    np.testing.assert_array_equal(residues(np.array([[3.0, 1.0]]), coefficients, 5.0), [3.0])


def test_one_hidden_member_is_given_back_and_two_are_not() -> None:
    total = np.array([[1.0, -1.0, -1.0]])
    assert recoverable(total, np.array([True, False, False])).tolist() == [True, False, False]
    assert not recoverable(total, np.array([True, True, False])).any()
    assert not recoverable(total, np.zeros(3, dtype=bool)).any()


def test_two_identities_together_give_back_what_neither_does() -> None:
    sum_and_difference = np.array([[1.0, 1.0, -1.0, 0.0], [1e6, -1e6, 0.0, -1e6]])
    assert recoverable(sum_and_difference, np.array([True, True, False, False])).tolist() == [True, True, False, False]
