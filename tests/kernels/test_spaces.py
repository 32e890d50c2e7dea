from __future__ import annotations

import numpy as np
import pytest

from ammg.kernels.kd_tree import ABSOLUTE, MISMATCH
from ammg.kernels.spaces import gower, robust, robust_spread, standardised, whitened, whitening


def test_standardising_uses_the_original_for_both_files():
    original = np.array([[1.0, 5, np.nan], [3, 5, 2], [5, 5, 4]])
    space = standardised(original, original + 2)
    assert np.allclose(space.original[:, 0], [-1, 0, 1])
    assert np.allclose(space.masked - space.original, [[1, np.nan], [1, 2**0.5], [1, 2**0.5]], equal_nan=True)
    assert space.original.shape == (3, 2)  # the constant column is gone


def test_a_constant_whose_mean_rounds_is_still_constant():
    assert standardised(np.full((7, 1), 0.1), np.full((7, 1), 0.1)).original.shape == (7, 0)


def test_robust_scale_does_not_follow_outliers_nor_vanish_with_zeros():
    calm = np.array([[1.0, 0], [2, 0], [3, 0], [4, 0], [5, 9]])
    wild = calm.copy()
    wild[4, 0] = 1e9
    assert np.allclose(robust(calm, calm).original[:4], robust(wild, wild).original[:4])
    assert robust(calm, calm).original.shape == (5, 2)


def test_whitened_distance_is_mahalanobis_distance_also_when_singular():
    rng = np.random.default_rng(0)
    parts = rng.normal(size=(50, 2)) * [1, 1e6]
    original = np.column_stack([parts, parts.sum(axis=1)])
    masked = original + np.column_stack([parts[::-1], parts[::-1].sum(axis=1)])
    covariance = np.cov(original.T)
    space = whitened(original, masked, covariance)
    gap = (masked - original)[:, :2]
    expected = np.einsum("ij,jk,ik->i", gap, np.linalg.inv(covariance[:2, :2]), gap)
    assert space.original.shape[1] == 2
    assert ((space.masked - space.original) ** 2).sum(axis=1) == pytest.approx(expected, rel=1e-6)


def test_whitening_makes_the_covariance_the_identity():
    covariance = np.array([[4.0, 1, 0], [1, 9, 0], [0, 0, 0]])
    rotation = whitening(covariance)
    assert np.allclose(rotation.T @ covariance @ rotation, np.eye(2))


def test_gower_scales_numbers_by_range_and_keeps_codes():
    original = np.array([[0.0, 2, 1], [10, 2, 3]])
    space = gower(original, np.array([[5.0, 7, 2]]), np.array([False, False, True]))
    assert space.kinds.tolist() == [ABSOLUTE, MISMATCH]
    assert space.original.tolist() == [[0, 1], [1, 3]]
    assert space.masked.tolist() == [[0.5, 2]]


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
