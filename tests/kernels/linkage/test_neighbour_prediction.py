"""Neighbours predict any function of a column, and nobody is predicted from their own record."""

import numpy as np

from ammg.kernels.linkage.neighbour_prediction import neighbour_prediction


def test_a_folded_column_is_predicted_from_the_column_that_it_was_made_of() -> None:
    rng = np.random.default_rng(0)
    original = rng.normal(size=(500, 3))
    masked = np.column_stack([np.abs(original[:, 2]), np.sin(3 * original[:, 0])])
    predicted = neighbour_prediction(original, masked, np.arange(500))
    assert np.median(np.abs(predicted - masked)) < 0.02


def test_nobody_is_predicted_from_their_own_record() -> None:
    rng = np.random.default_rng(1)
    original, masked = rng.normal(size=(40, 1)), rng.normal(size=(40, 1))
    before = neighbour_prediction(original, masked, np.arange(40))
    masked[7] += 100
    assert np.allclose(neighbour_prediction(original, masked, np.arange(40))[7], before[7])


def test_records_of_unknown_origin_teach_nothing_and_missing_values_are_one_value() -> None:
    original = np.array([[np.nan], [np.nan], [1.0], [2.0], [np.nan], [3.0], [4.0]])
    masked = np.array([[5.0], [5.0], [0.0], [0.0], [5.0], [0.0], [99.0]])
    origin = np.array([0, 1, 2, 3, -1, 5, -1])
    predicted = neighbour_prediction(original, masked, origin)
    assert predicted[4] == (5 + 5 + 0 + 0) / 4
    assert predicted.max() < 5
    assert not neighbour_prediction(original, masked, np.full(7, -1)).any()
