from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ammg.kernels.noise.mixture_noise import (
    joint_mixture_means,
    mixture_means,
    mixture_variates,
    pick_component,
)
from ammg.kernels.psd import psd_factor


@settings(max_examples=60, deadline=None)
@given(raw=st.lists(st.floats(0.05, 1), min_size=2, max_size=6), variance=st.floats(0.01, 0.9))
def test_mixture_has_mean_zero_and_variance_one_for_any_number_of_components(raw, variance):
    weights = np.array(raw) / np.sum(raw)
    means = mixture_means(weights, variance)
    assert weights @ means == pytest.approx(0, abs=1e-9)
    assert weights @ means**2 + variance == pytest.approx(1)


def test_two_equal_components_lie_at_the_root_of_one_minus_variance():
    np.testing.assert_allclose(mixture_means(np.array([0.5, 0.5]), 0.025), [np.sqrt(0.975), -np.sqrt(0.975)])


def test_variates_have_the_moments_and_the_kurtosis_of_the_paper():
    rng = np.random.default_rng(0)
    weights = np.array([0.5, 0.5])
    variates = mixture_variates(
        rng.random(400_000), rng.normal(size=400_000), mixture_means(weights, 0.025), weights, 0.025
    )
    assert abs(variates.mean()) < 4 / np.sqrt(400_000)
    assert variates.var() == pytest.approx(1, abs=0.002)
    assert (variates**4).mean() == pytest.approx(3 * 0.025**2 + 6 * 0.025 * 0.975 + 0.975**2, abs=0.006)


def test_components_are_drawn_by_their_weights():
    weights = np.array([0.2, 0.3, 0.5])
    means = mixture_means(weights, 0.01, np.array([-1.0, 0.5]))
    rng = np.random.default_rng(1)
    variates = mixture_variates(rng.random(100_000), np.zeros(100_000), means, weights, 0.01)
    shares = [(variates == mean).mean() for mean in means]
    np.testing.assert_allclose(shares, weights, atol=4 * 0.5 / np.sqrt(100_000))


def test_joint_mixture_solves_roques_equations_on_a_singular_covariance(census):
    sigma = np.cov(census, rowvar=False)
    scale = np.sqrt(np.outer(np.diag(sigma), np.diag(sigma)))
    rng = np.random.default_rng(2)
    weights = rng.dirichlet(np.full(16, 5.0))
    variances = rng.uniform(0.1, 0.5, 16)
    means = joint_mixture_means(rng.normal(size=(16, 13)), weights, variances, sigma)
    np.testing.assert_allclose((weights @ means) / np.sqrt(np.diag(sigma)), 0, atol=1e-12)
    between = (means * weights[:, None]).T @ means
    np.testing.assert_allclose((between + weights @ variances * sigma) / scale, sigma / scale, atol=1e-10)


def test_joint_mixture_noise_has_the_covariance_asked_for():
    sigma = np.array([[4.0, 3.0], [3.0, 9.0]])
    rng = np.random.default_rng(3)
    weights, variances = np.array([0.2, 0.3, 0.1, 0.4]), np.array([0.1, 0.2, 0.3, 0.4])
    means = joint_mixture_means(rng.normal(size=(4, 2)), weights, variances, sigma)
    n = 200_000
    component = pick_component(rng.random(n), weights)
    inside = np.sqrt(variances)[component, None] * rng.normal(size=(n, 2))
    noise = means[component] + inside @ psd_factor(sigma).T
    np.testing.assert_allclose(np.cov(noise, rowvar=False), sigma, atol=0.08)


@pytest.mark.parametrize(
    ("weights", "variance", "shape", "message"),
    [
        ([0.5, 0.6], 0.1, None, "sum to 1"),
        ([1.0], 0.1, None, "at least two"),
        ([1.2, -0.2], 0.1, None, "positive"),
        ([0.5, 0.5], 1.0, None, "between 0 and 1"),
        ([0.5, 0.5], 0.1, [1.0, 2.0], "1 free means"),
        ([0.5, 0.5], 0.1, [0.0], "no spread"),
    ],
)
def test_impossible_mixtures_are_refused(weights, variance, shape, message):
    with pytest.raises(ValueError, match=message):
        mixture_means(np.array(weights), variance, None if shape is None else np.array(shape))


def test_a_joint_mixture_needs_more_components_than_columns():
    with pytest.raises(ValueError, match="at least 4 components"):
        joint_mixture_means(np.eye(3), np.full(3, 1 / 3), np.full(3, 0.5), np.eye(3))
    with pytest.raises(ValueError, match="below 1"):
        joint_mixture_means(np.ones((4, 3)), np.full(4, 0.25), np.full(4, 1.5), np.eye(3))
