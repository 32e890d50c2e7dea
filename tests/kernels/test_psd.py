from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ammg.kernels.psd import nearest_psd, psd_factor, psd_rank

KINDS = ["eig", "sym", "chol", "corr-sym"]


def covariance(seed: int, size: int, rank: int) -> np.ndarray:
    """A covariance of the given rank in units that differ by up to ten orders of magnitude."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(size, rank)) * 10.0 ** rng.uniform(-5, 5, size=(size, 1))
    return root @ root.T


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), size=st.integers(1, 8), lost=st.integers(0, 3))
def test_factor_times_its_transpose_is_the_matrix_in_every_unit(kind, seed, size, lost):
    sigma = covariance(seed, size, max(size - lost, 1))
    scale = np.sqrt(np.diag(sigma))
    factor = psd_factor(sigma, kind)
    np.testing.assert_allclose(
        factor @ factor.T / np.outer(scale, scale), sigma / np.outer(scale, scale), rtol=0, atol=1e-10
    )


def test_eigen_factor_has_orthogonal_columns_in_falling_order():
    sigma = np.cov(np.random.default_rng(1).normal(size=(6, 40)) * np.arange(1.0, 7.0)[:, None])
    factor = psd_factor(sigma, "eig")
    lengths = np.linalg.norm(factor, axis=0)
    assert (np.diff(lengths) <= 0).all()
    np.testing.assert_allclose((factor.T @ factor) / np.outer(lengths, lengths), np.eye(6), atol=1e-9)


def test_symmetric_factor_is_the_square_root_of_the_matrix():
    sigma = np.array([[4.0, 2.0], [2.0, 9.0]])
    root = psd_factor(sigma, "sym")
    np.testing.assert_allclose(root, root.T, atol=1e-12)
    np.testing.assert_allclose(root @ root, sigma, atol=1e-12)


def test_triangular_factor_agrees_with_cholesky_where_that_exists():
    sigma = np.cov(np.random.default_rng(3).normal(size=(4, 50)))
    np.testing.assert_allclose(psd_factor(sigma, "chol"), np.linalg.cholesky(sigma), atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_noise_made_with_a_factor_keeps_the_identity_that_makes_census_singular(census, kind):
    sigma = np.cov(census, rowvar=False)
    assert psd_rank(sigma) == 12  # whether numpy's Cholesky notices is up to the processor
    noise = np.random.default_rng(0).normal(size=(500, 13)) @ psd_factor(sigma, kind).T
    total, other, earnings = 4, 7, 9  # PTOTVAL = PEARNVAL + POTHVAL
    gap = noise[:, total] - noise[:, other] - noise[:, earnings]
    assert np.abs(gap).max() < 1e-9 * np.abs(noise[:, total]).max()


@pytest.mark.parametrize("kind", KINDS)
def test_a_constant_column_gets_no_noise(kind):
    sigma = np.array([[2.0, 0.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 3.0]])
    factor = psd_factor(sigma, kind)
    assert (factor[1] == 0).all()
    np.testing.assert_allclose(factor @ factor.T, sigma, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_an_indefinite_matrix_is_refused_with_the_way_out(kind):
    with pytest.raises(ValueError, match="nearest_psd"):
        psd_factor(np.array([[1.0, 1.5], [1.5, 1.0]]), kind)


def test_matrices_that_are_no_covariances_are_refused():
    with pytest.raises(ValueError, match="square"):
        psd_factor(np.ones((2, 3)))
    with pytest.raises(ValueError, match="negative variance"):
        psd_factor(np.diag([1.0, -1.0]))
    with pytest.raises(ValueError, match="symmetric"):
        psd_factor(np.array([[1.0, 0.5], [0.1, 1.0]]))


def test_nearest_correlation_matrix_is_highams_example():
    # Higham (2002), section 4: the nearest correlation matrix to [[1,1,0],[1,1,1],[0,1,1]], to four decimals.
    nearest = nearest_psd(np.array([[1.0, 1, 0], [1, 1, 1], [0, 1, 1]]))
    expected = [[1, 0.7607, 0.1573], [0.7607, 1, 0.7607], [0.1573, 0.7607, 1]]
    np.testing.assert_allclose(nearest, expected, atol=5e-5)


def test_nearest_covariance_keeps_variances_and_constant_columns():
    sigma = np.array([[4.0, 6, 0, -5], [6, 9, 0, 8], [0, 0, 0, 0], [-5, 8, 0, 16]])
    nearest = nearest_psd(sigma)
    np.testing.assert_allclose(np.diag(nearest), np.diag(sigma), rtol=1e-12)
    assert (nearest[2] == 0).all()
    factor = psd_factor(nearest)
    np.testing.assert_allclose(factor @ factor.T, nearest, atol=1e-9)


def test_a_covariance_is_its_own_nearest(census):
    sigma = np.cov(census, rowvar=False)
    assert (nearest_psd(sigma) == sigma).all()


@pytest.mark.parametrize("rounding", [1e-14, -1e-14])
def test_rounding_does_not_turn_the_factor_of_equal_variances_round(rounding):
    equal = psd_factor(np.array([[1.0, 0.5], [0.5, 1.0]]))
    nearly = psd_factor(np.array([[1.0 + rounding, 0.5], [0.5, 1.0 - rounding]]))
    np.testing.assert_allclose(nearly, equal, atol=1e-9)
