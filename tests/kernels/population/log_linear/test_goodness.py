from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import poisson

from ammg.kernels.population.log_linear.goodness import coefficients, goodness_of_fit

MEANS = np.array([0.1, 0.7, 2.0, 9.0, 0.0, 30.0])


def goodness(counts, fraction, tau):
    cells = np.flatnonzero(counts)
    return goodness_of_fit(MEANS, fraction, cells, counts[cells].astype(float), np.full(cells.size, fraction), tau)


@pytest.mark.parametrize("tau", [1, 2])
def test_the_variance_is_that_of_b_when_the_means_are_known(tau):
    """Exactly, by summing over all counts that a cell can have; B of independent cells is a sum of their terms."""
    fraction, mean, variance = 0.2, 0.0, 0.0
    for cell in np.flatnonzero(MEANS):
        counts = np.arange(80)
        a, b = coefficients(MEANS[cell], fraction, tau)
        e = counts - fraction * MEANS[cell]
        term = a * e + b * (e**2 - counts)
        chance = poisson.pmf(counts, fraction * MEANS[cell])
        mean += chance @ term
        variance += chance @ term**2 - (chance @ term) ** 2
    assert goodness(np.zeros(6), fraction, tau).variance == pytest.approx(variance, rel=1e-9)
    assert mean == pytest.approx(0, abs=1e-9)


def test_b1_is_the_formula_of_the_slides():
    counts, pi = np.array([0, 1, 0, 3, 0, 5]), 0.2
    e, c = counts - pi * MEANS, 1 - pi
    weight = c * MEANS * np.exp(-MEANS)
    expected = np.sum(weight * (e + c / (2 * pi) * (e**2 - counts)))
    assert goodness(counts, pi, 1).bias == pytest.approx(expected)


def test_cells_may_have_their_own_fraction():
    cells, counts = np.array([0, 3]), np.array([1.0, 2.0])
    fractions = np.array([0.5, 0.1])
    found = goodness_of_fit(MEANS, 0.2, cells, counts, fractions, 2)
    everywhere = np.full(6, 0.2)
    everywhere[cells] = fractions
    bias = variance = 0.0
    for k in np.flatnonzero(MEANS):
        a, b = coefficients(MEANS[k], everywhere[k], 2)
        mu = everywhere[k] * MEANS[k]
        f = dict(zip(cells, counts, strict=True)).get(k, 0.0)
        bias += a * (f - mu) + b * ((f - mu) ** 2 - f)
        variance += a**2 * mu + 2 * b**2 * mu**2
    assert (found.bias, found.variance) == pytest.approx((bias, variance))


def test_in_a_census_there_is_nothing_to_test():
    found = goodness(np.array([1, 1, 2, 9, 0, 30]), 1.0, 1)
    assert found.bias == 0
    assert np.isnan(found.z)
