from __future__ import annotations

import numpy as np
import pytest

from ammg.kernels.noise.multiplicative_noise import lognormal_factors, truncated_normal_factors, two_sided_factors

N = 200_000


def test_lognormal_factors_are_positive_with_mean_one_and_the_cv_asked_for():
    factors = lognormal_factors(np.random.default_rng(0).normal(size=N), 0.3)
    assert factors.min() > 0
    assert factors.mean() == pytest.approx(1, abs=4 * 0.3 / np.sqrt(N))
    assert factors.std() == pytest.approx(0.3, rel=0.02)


def test_truncated_factors_have_the_cv_asked_for_after_the_cut():
    factors = truncated_normal_factors(np.random.default_rng(1).random(N), 0.1, reach=2.0)
    assert factors.mean() == pytest.approx(1, abs=4 * 0.1 / np.sqrt(N))
    assert factors.std() == pytest.approx(0.1, rel=0.01)
    assert factors.max() - 1 == pytest.approx(1 - factors.min(), rel=1e-3)
    assert factors.min() > 0


def test_two_sided_factors_change_every_value_within_their_bounds():
    factors = two_sided_factors(np.random.default_rng(2).random(N), 0.1, 0.3)
    change = np.abs(factors - 1)
    assert change.min() >= 0.1
    assert change.max() <= 0.3
    assert factors.mean() == pytest.approx(1, abs=4 * 0.2 / np.sqrt(N))
    assert change.mean() == pytest.approx(0.1 + 0.2 / 3, abs=0.001)  # the mean of a triangle, dense at its low end


def test_impossible_factors_are_refused():
    with pytest.raises(ValueError, match="positive"):
        lognormal_factors(np.zeros(1), 0.0)
    with pytest.raises(ValueError, match="signs"):
        truncated_normal_factors(np.zeros(1), 0.6)
    with pytest.raises(ValueError, match="least < most"):
        two_sided_factors(np.zeros(1), 0.3, 0.1)
