from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ammg.kernels.pairwise import fill_missing, pairwise_moments


def test_complete_records_have_the_covariance_of_numpy(census):
    moments = pairwise_moments(census)
    np.testing.assert_allclose(moments.mean, census.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(moments.cov, np.cov(census, rowvar=False), rtol=1e-9)
    np.testing.assert_allclose(moments.correlation, np.corrcoef(census, rowvar=False), atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), holes=st.floats(0, 0.5))
def test_each_pair_uses_the_records_that_have_both(seed, holes):
    rng = np.random.default_rng(seed)
    records = rng.normal(size=(40, 3)) + 1e6
    records[rng.random(records.shape) < holes] = np.nan
    weights = rng.integers(1, 5, 40).astype(float)
    moments = pairwise_moments(records, weights)
    for j in range(3):
        for k in range(3):
            both = ~np.isnan(records[:, j]) & ~np.isnan(records[:, k])
            if both.sum() < 2:
                continue
            expected = np.cov(records[both, j], records[both, k], aweights=weights[both])[0, 1]
            np.testing.assert_allclose(moments.cov[j, k], expected, rtol=1e-7, atol=1e-7)


def test_a_constant_column_varies_by_exactly_nothing():
    records = np.column_stack([np.full(1000, 0.1), np.arange(1000.0)])
    records[3, 0] = np.nan
    moments = pairwise_moments(records)
    assert (moments.cov[0] == 0).all()
    assert moments.sd[0] == 0
    assert (moments.correlation[0] == 0).all()


def test_what_is_never_observed_is_not_a_number():
    records = np.array([[1.0, np.nan], [2.0, np.nan], [4.0, np.nan]])
    moments = pairwise_moments(records)
    assert np.isnan(moments.mean[1])
    assert np.isnan(moments.cov[0, 1])
    assert moments.cov[0, 0] == pytest.approx(7 / 3)


def test_negative_weights_are_refused():
    with pytest.raises(ValueError, match="at least zero"):
        pairwise_moments(np.ones((2, 1)), np.array([1.0, -1.0]))


def test_missing_values_can_be_filled_with_the_mean_of_their_column():
    filled = fill_missing(np.array([[1.0, np.nan], [np.nan, np.nan], [3.0, np.nan]]))
    assert filled.tolist() == [[1, 0], [2, 0], [3, 0]]
