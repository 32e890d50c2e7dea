"""Intervals for τ stay within what is possible."""

from ammg.kernels.population.log_linear.intervals import Uncertainty


def test_an_estimate_of_almost_nothing_still_has_an_interval():
    low, high = Uncertainty(estimate=1e-200, uniques=10, conditional=1e-6, estimation=1e-6).interval()
    assert 0 <= low <= 1e-200 <= high <= 10
