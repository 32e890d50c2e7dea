from __future__ import annotations

import numpy as np
import pytest

from ammg.kernels.exact_noise import exact_correlated, exact_independent
from ammg.kernels.information_loss import information_loss


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


@pytest.mark.parametrize("weighted", [False, True])
def test_independent_noise_has_exact_variance_and_no_correlation_with_its_column(census, weighted):
    rng = np.random.default_rng(5)
    weights = rng.uniform(0.5, 4, len(census)) if weighted else None
    noise = exact_independent(rng.normal(size=census.shape), census, weights)
    for j in range(13):
        pair = np.cov(census[:, j], noise[:, j], aweights=weights)
        assert pair[1, 1] == pytest.approx(1, rel=1e-10)
        assert abs(pair[0, 1]) < 1e-10 * np.sqrt(pair[0, 0])


def test_columns_of_independent_noise_do_not_depend_on_each_other(census):
    variates = np.random.default_rng(5).normal(size=census.shape)
    both = exact_independent(variates[:, :2], census[:, :2])
    alone = exact_independent(variates[:, 1:2], census[:, 1:2])
    np.testing.assert_allclose(both[:, 1:], alone, rtol=1e-12, atol=1e-14)


def test_independent_noise_needs_three_complete_records():
    with pytest.raises(ValueError, match="at least 3"):
        exact_independent(np.ones((2, 1)), np.ones((2, 1)))
    with pytest.raises(ValueError, match="missing"):
        exact_independent(np.ones((3, 1)), np.array([[1.0], [np.nan], [2.0]]))
    with pytest.raises(ValueError, match="no part"):
        exact_independent(np.array([[1.0], [2.0], [3.0]]), np.array([[2.0], [4.0], [6.0]]))


def test_a_constant_column_gets_noise_of_unit_variance_for_the_caller_to_scale_by_zero():
    noise = exact_independent(np.random.default_rng(0).normal(size=(50, 1)), np.full((50, 1), 3.0))
    assert noise.var(ddof=1) == pytest.approx(1)
