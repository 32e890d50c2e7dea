from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.errors import InputError
from ammg.estimators.attenuation import deattenuated_correlations, independent_noise
from ammg.kernels.pairwise import pairwise_moments


def test_correlations_of_the_original_are_found_again():
    rng = np.random.default_rng(0)
    original = rng.multivariate_normal([0, 0, 0], [[1, 0.8, 0.3], [0.8, 1, -0.2], [0.3, -0.2, 1]], size=200_000)
    masked = original + 0.5 * rng.normal(size=original.shape)
    noise = independent_noise(pairwise_moments(masked), 0.5)
    np.testing.assert_allclose(noise, 0.25 * np.eye(3), atol=0.005)
    recovered = deattenuated_correlations(masked, noise)
    np.testing.assert_allclose(recovered, np.corrcoef(original.T), atol=0.01)
    assert abs(np.corrcoef(masked.T)[0, 1] - 0.64) < 0.01  # 0.8 / 1.25


def test_impossible_correlations_end_at_one_and_pure_noise_has_none():
    masked = np.random.default_rng(1).normal(size=(50, 1)) @ np.ones((1, 2))
    variance = masked[:, 0].var(ddof=1)
    assert deattenuated_correlations(masked, np.diag([0.5, 0.5]) * variance)[0, 1] == 1.0
    assert np.isnan(deattenuated_correlations(masked, np.diag([2.0, 0.5]) * variance)[0]).all()
    with pytest.raises(ValueError, match="positive"):
        independent_noise(pairwise_moments(masked), 0.0)


def test_noise_of_a_file_with_weights_follows_its_weighted_deviation():
    rng = np.random.default_rng(2)
    values = rng.lognormal(2, 1, 40_000)
    weights = np.where(values > 10, 10.0, 1.0)
    data = ammg.Microdata(pl.DataFrame({"x": values, "w": weights})).with_roles(weight="w")
    run = ammg.Pipeline([ammg.AdditiveNoise(columns=["x"], p=0.7, below_zero="allow")]).run(data, secret=1)
    noise = independent_noise(run.table.select("x"), 0.7, weights)
    assert noise[0, 0] == pytest.approx(np.var(run.table["x"].to_numpy() - values), rel=0.05)


def test_one_noise_for_each_record_has_no_place_in_correlations():
    with pytest.raises(InputError, match=r"shape \(5, 2, 2\) but there are 2 columns"):
        deattenuated_correlations(np.arange(10.0).reshape(5, 2), np.tile(np.eye(2), (5, 1, 1)))
