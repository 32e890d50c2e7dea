from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from ammg.errors import InputError
from ammg.estimators import subdomain_errors, subdomain_moments
from ammg.kernels.pairwise import pairwise_moments
from ammg.kernels.psd import psd_factor

KURTOSIS = 3 * 0.025**2 + 6 * 0.025 * 0.975 + 0.975**2  # of two equal components of variance 0.025
COLOUR = np.array([[2.0, 1, 0], [0, 1, 0.5], [0, 0, 1]])
INSIDE = np.diag([0.4, 1.5, 1.0])
TRUE_MEAN, TRUE_COV = np.array([3.0, 0, -1]), INSIDE @ COLOUR.T @ COLOUR @ INSIDE


def simulate(n, share, d, rng, weights=None, mixture=False):
    """A file masked by its own covariance, and who is in a subdomain with another mean and covariance."""
    inside = rng.random(n) < share
    original = rng.normal(size=(n, 3)) @ COLOUR
    original[inside] = original[inside] @ INSIDE + TRUE_MEAN
    factor = psd_factor(np.cov(original, rowvar=False, aweights=weights))
    white = rng.normal(size=(n, 3))
    if mixture:
        white = np.sqrt(0.025) * white + np.sqrt(0.975) * rng.choice([-1.0, 1.0], (n, 3))
    return original + np.sqrt(d) * white @ factor.T, inside


def repeat(files, n, share, d, seed, weighted=False, mixture=False):
    """Estimates and standard errors, means first and then covariances, of so many files."""
    rng = np.random.default_rng(seed)
    found, errors = [], []
    for _ in range(files):
        weights = rng.choice([1.0, 5.0], n) if weighted else None
        masked, inside = simulate(n, share, d, rng, weights, mixture)
        of_part = weights[inside] if weighted else None
        given = {"weights": of_part, "file_weights": weights}
        moments = subdomain_moments(masked[inside], masked, d, **given)
        error = subdomain_errors(masked[inside], masked, d, **given, kurtosis=KURTOSIS if mixture else 3.0)
        found.append(np.r_[moments.mean, moments.cov[np.triu_indices(3)]])
        errors.append(np.r_[error.mean, error.cov[np.triu_indices(3)]])
    return np.array(found), np.array(errors)


@pytest.mark.proof
@pytest.mark.parametrize(
    ("n", "share", "d", "options"),
    [
        (600, 0.3, 0.5, {}),
        (400, 0.95, 1.0, {}),
        (500, 0.6, 1.0, {"weighted": True}),
        (500, 0.6, 1.0, {"mixture": True}),
    ],
    ids=["a part", "nearly the whole file", "weights", "mixture"],
)
def test_standard_errors_are_the_spread_of_the_estimates_over_many_files(n, share, d, options):
    files = 800
    found, errors = repeat(files, n, share, d, seed=5, **options)
    # The standard deviation of F normal numbers has a relative error of 1/√(2F); three of them, and 1/√n for the
    # skewness of covariances.
    tolerance = 3 / np.sqrt(2 * files) + 1 / np.sqrt(n)
    np.testing.assert_allclose(errors.mean(axis=0), found.std(axis=0, ddof=1), rtol=tolerance)
    truth = np.r_[TRUE_MEAN, TRUE_COV[np.triu_indices(3)]]
    covered = (np.abs(found - truth) < 1.96 * errors).mean(axis=0)
    assert (covered > 0.92).all()
    assert (covered < 0.98).all()


def test_noise_that_follows_the_file_adds_to_the_error_of_the_whole_files_covariance():
    n, d = 100_000, 1.0
    original = np.random.default_rng(0).normal(size=(n, 1))
    masked = original + np.sqrt(d) * original.std(ddof=1) * np.random.default_rng(1).normal(size=(n, 1))
    # Var of S/(1 + d) with S = S_x + cross + noise, Var(S_x) = 2/n with the noise proportional to it, Var(cross) = 4d/n
    # and Var(noise) = 2d²/n: records that were independent would give 2/n.
    expected = np.sqrt((2 + (4 * d + 2 * d**2) / (1 + d) ** 2) / n)
    np.testing.assert_allclose(subdomain_errors(masked, masked, d).cov, [[expected]], rtol=0.02)


def test_the_error_of_a_mean_is_that_of_the_masked_mean():
    masked, inside = simulate(300, 0.4, 0.3, np.random.default_rng(2))
    part = masked[inside]
    found = subdomain_errors(part, masked, 0.3)
    np.testing.assert_allclose(found.mean, part.std(axis=0, ddof=1) / np.sqrt(len(part)), rtol=1e-12)
    np.testing.assert_array_equal(found.cov, found.cov.T)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_file_and_its_scaled_version_give_the_same_errors(weighted):
    rng, d = np.random.default_rng(3), 0.5
    weights = rng.choice([1.0, 7.0], 500) if weighted else None
    masked, inside = simulate(500, 0.4, d, rng, weights)
    shrink = (1 + d) ** -0.5
    scaled = shrink * masked + (1 - shrink) * np.average(masked, axis=0, weights=weights)
    given = {"weights": weights[inside] if weighted else None, "file_weights": weights}
    plain = subdomain_errors(masked[inside], masked, d, **given)
    other = subdomain_errors(scaled[inside], scaled, d, scaled=True, **given)
    np.testing.assert_allclose(other.mean, plain.mean, rtol=1e-9)
    np.testing.assert_allclose(other.cov, plain.cov, rtol=1e-9)


def test_equal_weights_are_no_weights():
    masked, inside = simulate(300, 0.4, 0.3, np.random.default_rng(2))
    plain = subdomain_errors(masked[inside], masked, 0.3)
    equal = subdomain_errors(
        masked[inside], masked, 0.3, weights=np.full(inside.sum(), 4.0), file_weights=np.full(300, 4.0)
    )
    np.testing.assert_allclose(equal.mean, plain.mean, rtol=1e-12)
    np.testing.assert_allclose(equal.cov, plain.cov, rtol=1e-12)


def test_each_entry_uses_the_records_that_have_both_values():
    masked, inside = simulate(300, 0.4, 0.3, np.random.default_rng(2))
    holed = masked.copy()
    holed[np.random.default_rng(4).random(300) < 0.3, 1] = np.nan
    full, found = (subdomain_errors(file[inside], file, 0.3) for file in (masked, holed))
    assert found.mean[0] == full.mean[0]
    assert found.cov[0, 2] == full.cov[0, 2]
    seen = ~np.isnan(holed[inside, 1])
    np.testing.assert_allclose(found.mean[1], holed[inside, 1][seen].std(ddof=1) / np.sqrt(seen.sum()))
    assert found.cov[0, 1] > full.cov[0, 1]
    apart = np.array([[1.0, np.nan], [np.nan, 2.0], [3.0, np.nan], [4.0, np.nan]])
    lonely = subdomain_errors(apart, np.vstack([apart, masked[:, :2]]), 0.3)
    assert np.isnan(lonely.mean).tolist() == [False, True]
    assert np.isnan(lonely.cov).tolist() == [[False, True], [True, True]]


def test_covariances_that_missing_values_make_indefinite_have_errors():
    high, low = np.repeat([[1.0, 1, np.nan], [np.nan, 1, 1], [1, np.nan, -1]], 20, axis=0), 0.0
    file = np.vstack([high, np.where(np.isnan(high), np.nan, low)]) + 1e-3 * np.arange(120)[:, None] % 0.01
    assert np.linalg.eigvalsh(pairwise_moments(file).cov)[0] < 0
    assert np.isfinite(subdomain_errors(file[::2], file, 0.3, kurtosis=KURTOSIS).cov).all()


def test_tables_are_taken_and_what_does_not_fit_is_refused():
    masked, inside = simulate(300, 0.4, 0.3, np.random.default_rng(2))
    table = pl.DataFrame(masked, schema=["a", "b", "c"])
    np.testing.assert_array_equal(
        subdomain_errors(table.filter(inside), table.to_pandas(), 0.3).cov,
        subdomain_errors(masked[inside], masked, 0.3).cov,
    )
    with pytest.raises(InputError, match="need the records of the whole masked file"):
        subdomain_errors(masked[inside], pairwise_moments(masked), 0.3)
    with pytest.raises(InputError, match="has weights: give both, or none"):
        subdomain_errors(masked[inside], masked, 0.3, weights=np.ones(inside.sum()))
    with pytest.raises(InputError, match="The subdomain has 300 records, the whole file 10: give the whole file"):
        subdomain_errors(masked, masked[:10], 0.3)
    with pytest.raises(InputError, match=r"at least 1 \(normal noise has 3\); it is 0\.5"):
        subdomain_errors(masked[inside], masked, 0.3, kurtosis=0.5)
    with pytest.raises(InputError, match="moments need at least two"):
        subdomain_errors(masked[:1], masked, 0.3)
    with pytest.raises(InputError, match="columns, the file 3: give the same"):
        subdomain_errors(masked[:9, :2], masked, 0.3)
    with pytest.raises(InputError, match="d, the variance of the noise"):
        subdomain_errors(masked[inside], masked, 0.0)
