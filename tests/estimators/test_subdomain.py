from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.errors import InputError
from ammg.estimators.subdomain import noise_covariance, subdomain_moments, unscale
from ammg.kernels.pairwise import pairwise_moments
from ammg.kernels.psd import psd_factor


def simulate(n: int, d: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Original, masked, and a subdomain with its own mean and covariance, known from an unmasked flag."""
    inside = rng.random(n) < 0.3
    original = rng.normal(size=(n, 3)) @ np.array([[2.0, 1, 0], [0, 1, 0.5], [0, 0, 1]])
    original[inside] = original[inside] @ np.diag([0.4, 1.5, 1.0]) + [3.0, 0, -1]
    noise = rng.normal(size=(n, 3)) @ psd_factor(np.cov(original, rowvar=False)).T
    return original, original + np.sqrt(d) * noise, inside


def shrink(masked: np.ndarray, d: float) -> np.ndarray:
    c = (1 + d) ** -0.5
    return c * masked + (1 - c) * masked.mean(axis=0)


@pytest.mark.parametrize("d", [0.01, 0.1, 1.0])
def test_a_file_and_its_scaled_version_give_the_same_corrected_moments(d):
    _, masked, inside = simulate(500, d, np.random.default_rng(0))
    scaled = shrink(masked, d)
    plain = subdomain_moments(masked[inside], pairwise_moments(masked), d)
    other = subdomain_moments(scaled[inside], pairwise_moments(scaled), d, scaled=True)
    np.testing.assert_allclose(other.mean, plain.mean, rtol=1e-9)
    np.testing.assert_allclose(other.cov, plain.cov, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(unscale(scaled, scaled.mean(axis=0), d), masked, atol=1e-12)


def test_correction_finds_the_moments_that_made_the_data():
    rng = np.random.default_rng(1)
    corrected, naive, truth = [], [], []
    for _ in range(200):
        original, masked, inside = simulate(600, 0.5, rng)
        corrected.append(subdomain_moments(masked[inside], pairwise_moments(masked), 0.5).cov)
        naive.append(np.cov(masked[inside], rowvar=False))
        truth.append(np.cov(original[inside], rowvar=False))
    error = np.array(corrected) - np.array(truth)
    sigma = error.std(axis=0) / np.sqrt(200)
    assert (np.abs(error.mean(axis=0)) < 4 * sigma).all()
    assert (np.abs((np.array(naive) - np.array(truth)).mean(axis=0)) > 4 * sigma).any()


def test_indefinite_estimates_of_small_subdomains_can_be_made_proper():
    rng = np.random.default_rng(2)
    original = rng.normal(size=(200, 3)) * [1, 2, 3]
    original[:5] *= 0.01
    masked = original + rng.normal(size=original.shape) @ psd_factor(np.cov(original, rowvar=False)).T
    raw = subdomain_moments(masked[:5], pairwise_moments(masked), 1.0)
    assert np.linalg.eigvalsh(raw.cov)[0] < 0
    proper = subdomain_moments(masked[:5], pairwise_moments(masked), 1.0, definite=True)
    assert np.linalg.eigvalsh(proper.cov)[0] > -1e-9


def test_noise_covariance_comes_from_the_masked_file_alone():
    file = pairwise_moments(np.random.default_rng(3).normal(size=(100, 2)))
    np.testing.assert_allclose(noise_covariance(file, 0.25), 0.2 * file.cov)
    np.testing.assert_allclose(noise_covariance(file, 0.25, scaled=True), 0.25 * file.cov)
    with pytest.raises(ValueError, match="positive"):
        noise_covariance(file, 0.0)


def test_tables_are_taken_and_the_file_may_be_given_as_records():
    records = np.random.default_rng(1).normal(size=(200, 2))
    table = pl.DataFrame(records, schema=["a", "b"])
    expected = subdomain_moments(records[:50], pairwise_moments(records), 0.2)
    found = subdomain_moments(table.head(50), table.to_pandas(), 0.2)
    np.testing.assert_array_equal(found.mean, expected.mean)
    np.testing.assert_array_equal(found.cov, expected.cov)


@pytest.mark.parametrize("size", [0, 1])
def test_a_subdomain_of_nobody_or_one_is_refused(size):
    records = np.random.default_rng(1).normal(size=(200, 2))
    with pytest.raises(InputError, match=f"The subdomain has {size} records: moments need at least two"):
        subdomain_moments(records[:size], records, 0.2)
    with pytest.raises(InputError, match="The subdomain has 1 columns, the file 2: give the same"):
        subdomain_moments(records[:50, :1], records, 0.2)


@pytest.mark.parametrize("rescaled", [False, True])
def test_files_with_weights_are_corrected_by_their_weights(rescaled):
    rng = np.random.default_rng(3)
    amount = rng.lognormal(3, 0.7, 30_000)
    inside, weights = rng.random(30_000) < 0.3, np.where(amount > 30, 20.0, 1.0)  # large amounts weigh more
    table = pl.DataFrame({"x": amount + 10 * inside, "y": 2 * amount + rng.normal(0, 10, 30_000), "w": weights})
    data = ammg.Microdata(table).with_roles(weight="w")
    step = ammg.CorrelatedNoise(columns=["x", "y"], d=0.5, rescaled=rescaled)
    masked = ammg.Pipeline([step]).run(data, secret=1).table.select("x", "y").to_numpy()
    original = table.select("x", "y").to_numpy()[inside]
    found = subdomain_moments(
        masked[inside], masked, 0.5, scaled=rescaled, weights=weights[inside], file_weights=weights
    )
    np.testing.assert_allclose(found.cov, np.cov(original, rowvar=False, aweights=weights[inside]), rtol=0.06)
    np.testing.assert_allclose(found.mean, np.average(original, axis=0, weights=weights[inside]), rtol=0.02)
    noise = noise_covariance(masked, 0.5, rescaled, weights)
    truth = np.cov(table.select("x", "y").to_numpy(), rowvar=False, aweights=weights)
    np.testing.assert_allclose(noise, 0.5 * truth, rtol=0.05)


def test_columns_never_seen_together_have_no_proper_covariance():
    masked = np.array([[1.0, np.nan], [np.nan, 2.0], [3.0, np.nan]])
    with pytest.raises(InputError, match="observed together in fewer than two records"):
        subdomain_moments(masked, np.random.default_rng(0).normal(size=(9, 2)), 0.1, definite=True)


def test_means_that_do_not_fit_the_columns_and_infinite_values_are_refused():
    with pytest.raises(InputError, match=r"The means are \[1.0\] but there are 2 columns"):
        unscale(np.ones((3, 2)), [1.0], 0.1)
    with pytest.raises(InputError, match="infinite value: set it"):
        noise_covariance([[1.0, np.inf], [2.0, 3.0]], 0.1)
    with pytest.raises(InputError, match="d, the variance of the noise"):
        noise_covariance(np.eye(2), float("inf"))
