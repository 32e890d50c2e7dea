import numpy as np
import pytest

from ammg.kernels.synthesis.gaussian_copula import latent_correlation, latent_law


def normals(rho: float, n: int = 40_000) -> np.ndarray:
    return np.random.default_rng(0).multivariate_normal([0, 0], [[1, rho], [rho, 1]], n)


@pytest.mark.parametrize("rho", [-0.9, -0.3, 0.0, 0.5, 0.95])
def test_the_correlation_behind_thresholds_is_found(rho: float) -> None:
    z = normals(rho)
    codes = [np.digitize(z[:, 0], [-1.0, 0.2]).astype(float), np.digitize(z[:, 1], [0.8]).astype(float)]
    one = [np.zeros(len(z), dtype=np.int64)] * 2
    assert latent_correlation(codes, one, np.array([True, True]))[0, 1] == pytest.approx(rho, abs=0.02)


def test_the_correlation_behind_log_normal_values_is_that_of_their_logarithms() -> None:
    z = normals(0.6)
    one = [np.zeros(len(z), dtype=np.int64)] * 2
    found = latent_correlation([np.exp(0.5 * z[:, 0]), np.exp(0.5 * z[:, 1])], one, np.array([False, False]))
    assert found[0, 1] == pytest.approx(0.6, abs=0.02)


def test_differences_between_groups_are_no_correlation_within_them() -> None:
    z = normals(0.4)
    groups = np.arange(len(z)) % 2
    shifted = z + 10 * groups[:, None]
    found = latent_correlation(list(shifted.T), [groups, groups], np.array([False, False]))
    assert found[0, 1] == pytest.approx(0.4, abs=0.02)


def test_columns_without_variation_or_values_correlate_with_nothing() -> None:
    z = normals(0.4, 100)
    one = [np.zeros(100, dtype=np.int64)] * 3
    found = latent_correlation([z[:, 0], np.ones(100), np.full(100, np.nan)], one, np.zeros(3, dtype=bool))
    assert np.array_equal(found, np.eye(3))


def test_members_share_what_belongs_to_the_household() -> None:
    correlation = np.array([[1.0, 0.8, 0.3], [0.8, 1.0, 0.5], [0.3, 0.5, 1.0]])
    homes = np.repeat(np.arange(20_000), 2)
    common, own = latent_law(correlation, np.array([True, False, False])).draw(homes, np.random.default_rng(1))
    assert common.shape == (20_000, 1)
    found = np.corrcoef(np.column_stack([common[homes], own]).T)
    assert np.abs(found - correlation).max() < 0.02
    # Two members have no more in common than their household explains: 0.8 times 0.8.
    assert np.corrcoef(own[::2, 0], own[1::2, 0])[0, 1] == pytest.approx(0.64, abs=0.02)
