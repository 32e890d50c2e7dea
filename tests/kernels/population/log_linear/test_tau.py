from __future__ import annotations

import numpy as np
import pytest

from ammg.kernels.population.log_linear.tau import (
    conditional_variance,
    derivatives,
    mean_inverse_square,
    record_risk,
    unique_risk,
)

MEANS = [0.0005, 0.01, 0.0999, 0.1001, 1.0, 7.0, 40.0]


@pytest.mark.parametrize("tau", [1, 2])
@pytest.mark.parametrize("fraction", [0.01, 0.5])
@pytest.mark.parametrize("mean", MEANS)
def test_derivatives_are_limits_of_differences(tau, fraction, mean):
    rest, step = 1 - fraction, 1e-3 * mean
    _, first, second = derivatives(mean, rest, tau)
    below, above = derivatives(mean - step, rest, tau), derivatives(mean + step, rest, tau)
    assert (above[0] - below[0]) / (2 * step) == pytest.approx(first, rel=1e-3)
    assert (above[1] - below[1]) / (2 * step) == pytest.approx(second, rel=1e-3)


@pytest.mark.parametrize("m", [0.05, 0.5, 4.0, 30.0])
def test_risks_and_variances_are_those_of_a_shifted_poisson(m):
    population = 1 + np.random.default_rng(6).poisson(m, 1_000_000)
    mean, fraction = np.array([m / 0.9]), 0.1
    assert unique_risk(mean, fraction, 1)[0] == pytest.approx(np.mean(population == 1), abs=2e-3)
    assert unique_risk(mean, fraction, 2)[0] == pytest.approx(np.mean(1 / population), rel=5e-3)
    assert conditional_variance(mean, fraction, 1)[0] == pytest.approx(np.var(population == 1), abs=2e-3)
    assert conditional_variance(mean, fraction, 2)[0] == pytest.approx(np.var(1 / population), rel=2e-2, abs=1e-6)


def test_the_mean_inverse_square_of_the_specification():
    assert mean_inverse_square(np.array([0.5, 30.0])) == pytest.approx([0.69163, 0.00115], abs=5e-6)
    tiny, around = mean_inverse_square(np.array([1e-9])), mean_inverse_square(np.array([49.999, 50.001]))
    assert tiny[0] == pytest.approx(1)
    assert around[0] == pytest.approx(around[1], rel=1e-3)


def test_records_that_are_not_alone_have_a_risk_too():
    f, mean = np.array([1.0, 3.0]), np.array([20.0, 20.0])
    population = f[1] + np.random.default_rng(7).poisson(0.9 * 20, 400_000)
    risk = record_risk(f, mean, 0.1, 2)
    assert risk[0] == pytest.approx(unique_risk(mean[:1], 0.1, 2)[0])
    assert risk[1] == pytest.approx(np.mean(1 / population), rel=0.01)
    assert record_risk(f, mean, 0.1, 1) == pytest.approx([np.exp(-18), np.exp(-18)])


@pytest.mark.parametrize("tau", [1, 2])
def test_in_a_census_every_unique_is_certain(tau):
    assert unique_risk(np.array([0.0, 5.0]), 1.0, tau).tolist() == [1, 1]
    assert conditional_variance(np.array([5.0]), 1.0, tau)[0] == pytest.approx(0)
