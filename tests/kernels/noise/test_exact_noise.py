from __future__ import annotations

import numpy as np
import pytest

from ammg.kernels.loss.information_loss import information_loss
from ammg.kernels.noise.exact_noise import exact_correlated


@pytest.mark.parametrize("root", ["eig", "sym", "chol", "corr-sym"])
@pytest.mark.parametrize("weighted", [False, True])
def test_masked_covariance_is_one_plus_d_times_the_original_to_rounding(census, root, weighted):
    rng = np.random.default_rng(3)
    weights = rng.uniform(0.5, 4, len(census)) if weighted else None
    noise = exact_correlated(rng.normal(size=census.shape), census, root, weights)
    before = np.cov(census, rowvar=False, aweights=weights)
    scale = np.sqrt(np.outer(np.diag(before), np.diag(before)))
    for d in (0.01, 0.5):
        masked = census + np.sqrt(d) * noise
        after = np.cov(masked, rowvar=False, aweights=weights)
        assert np.abs((after - (1 + d) * before) / scale).max() < 1e-10
        shift = np.average(masked, axis=0, weights=weights) - np.average(census, axis=0, weights=weights)
        assert np.abs(shift / np.sqrt(np.diag(before))).max() < 1e-12
        gap = masked[:, 4] - masked[:, 7] - masked[:, 9]  # PTOTVAL = POTHVAL + PEARNVAL
        assert np.abs(gap).max() < 1e-9 * np.abs(masked[:, 4]).max()


def test_losses_of_exact_noise_are_d_and_zero(census):
    masked = census + np.sqrt(0.1) * exact_correlated(np.random.default_rng(1).normal(size=census.shape), census)
    loss = information_loss(census, masked)
    assert loss.il2 == pytest.approx(0, abs=1e-12)
    assert loss.il3 == pytest.approx(0.1, rel=1e-8)
    assert loss.il4 == pytest.approx(0.1, rel=1e-9)
    assert loss.il5 == pytest.approx(0, abs=1e-12)


def test_least_number_of_records_is_rank_plus_columns_plus_one():
    rng = np.random.default_rng(0)
    records = rng.normal(size=(7, 3))
    noise = exact_correlated(rng.normal(size=(7, 3)), records)
    np.testing.assert_allclose(np.cov(noise, rowvar=False), np.cov(records, rowvar=False), atol=1e-10)
    with pytest.raises(ValueError, match="at least 7 records; there are 6"):
        exact_correlated(rng.normal(size=(6, 3)), records[:6])
