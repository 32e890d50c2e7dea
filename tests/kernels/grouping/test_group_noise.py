import numpy as np
import pytest

from ammg.kernels.grouping.group_noise import group_noise


def grouped(n=60, size=4, seed=0):
    """Deviations from group means in three columns, the third the sum of the others, on unlike scales."""
    rng = np.random.default_rng(seed)
    group = rng.permutation(np.arange(n) // size)
    values = rng.normal(size=(n, 2)) @ np.array([[1.0, 300.0], [0.0, 200.0]]) * (1 + group[:, None] % 3)
    values = np.column_stack([values, values.sum(axis=1)])
    return values, group, rng


def deviations_of(values, group, weights=None):
    weights = np.ones(len(group)) if weights is None else weights
    totals = np.array([np.bincount(group, weights * column) for column in values.T]).T
    return values - (totals / np.bincount(group, weights)[:, None])[group]


@pytest.mark.parametrize("pooled", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_the_lost_covariance_comes_back_in_expectation(pooled, weighted):
    values, group, rng = grouped()
    weights = rng.uniform(1, 5, len(group)) if weighted else None
    mass = np.ones(len(group)) if weights is None else weights
    deviations = deviations_of(values, group, weights)
    lost = (deviations * mass[:, None]).T @ deviations
    back = np.zeros((3, 3))
    for _ in range(2_000):
        noise = group_noise(deviations, group, rng, pooled=pooled, weights=weights)
        back += (noise * mass[:, None]).T @ noise / 2_000
    np.testing.assert_allclose(back, lost, rtol=0.03)


@pytest.mark.parametrize("pooled", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_exact_noise_brings_it_back_to_rounding(pooled, weighted):
    values, group, rng = grouped()
    weights = rng.uniform(1, 5, len(group)) if weighted else None
    mass = np.ones(len(group)) if weights is None else weights
    deviations = deviations_of(values, group, weights)
    noise = group_noise(deviations, group, rng, pooled=pooled, exact=True, weights=weights)
    lost = (deviations * mass[:, None]).T @ deviations
    np.testing.assert_allclose((noise * mass[:, None]).T @ noise, lost, rtol=1e-9)
    assert (
        np.abs(np.array([np.bincount(group, mass * column) for column in noise.T])).max() < 1e-9 * np.abs(noise).max()
    )
    assert np.abs(noise[:, 0] + noise[:, 1] - noise[:, 2]).max() < 1e-9 * np.abs(noise).max()


def test_noise_within_a_tight_group_is_small():
    group = np.repeat([0, 1], 5)
    deviations = deviations_of(np.random.default_rng(1).normal(size=(10, 1)) * np.repeat([1, 1e-6], 5)[:, None], group)
    noise = group_noise(deviations, group, np.random.default_rng(2), pooled=False)
    assert np.abs(noise[5:]).max() < 1e-5
    assert np.abs(group_noise(deviations, group, np.random.default_rng(2))[5:]).max() > 0.01


def test_missing_values_get_no_noise_and_totals_of_the_others_stay():
    values, group, rng = grouped()
    values[rng.random(values.shape) < 0.2] = np.nan
    for pooled in (True, False):
        noise = group_noise(values, group, rng, pooled=pooled)
        assert not noise[np.isnan(values)].any()
        assert np.abs(np.array([np.bincount(group, column) for column in noise.T])).max() < 1e-9 * np.abs(noise).max()
    with pytest.raises(ValueError, match="complete"):
        group_noise(values, group, rng, exact=True)


def test_constant_columns_get_no_noise_and_a_group_without_weight_is_centred_plainly():
    deviations = np.array([[0.0, 1], [0, -1], [0, 2], [0, -2]])
    noise = group_noise(deviations, np.array([0, 0, 1, 1]), np.random.default_rng(0), weights=np.array([1.0, 1, 0, 0]))
    assert not noise[:, 0].any()
    assert noise[2, 1] == -noise[3, 1] != 0
