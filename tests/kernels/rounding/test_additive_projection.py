import numpy as np
import pytest

from ammg.kernels.rounding.additive_projection import close_residuals, is_open
from ammg.kernels.rounding.restore_additivity import Identities

NESTED = Identities(np.array([[1.0, -1.0, -1.0, 0], [0, 1.0, 0, -2.5]]), np.zeros(2))


def nearly_additive(n=40, scale=1.0):
    rng = np.random.default_rng(1)
    rest, last = rng.lognormal(size=(2, n)) * scale
    truth = np.column_stack([2.5 * last + rest, 2.5 * last, rest, last])
    return truth, truth * (1 + 1e-7 * rng.normal(size=truth.shape)), np.full(truth.shape, np.inf)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_what_is_open_is_closed_to_rounding(scale):
    _, values, wide = nearly_additive(scale=scale)
    assert is_open(NESTED, values).all()
    result = close_residuals(values, NESTED, np.abs(values), -wide, wide)
    assert not is_open(NESTED, result).any()
    np.testing.assert_allclose(result, values, rtol=1e-6)


def test_cells_without_reach_stay():
    _, values, wide = nearly_additive()
    reach = np.where(np.arange(4) < 2, 1.0, 0.0) * np.ones_like(values)
    result = close_residuals(values, NESTED, reach, -wide, wide)
    np.testing.assert_array_equal(result[:, 2:], values[:, 2:])
    np.testing.assert_allclose(result[:, 1], 2.5 * values[:, 3], rtol=1e-14)


def test_means_and_identities_are_met_together():
    truth, values, wide = nearly_additive()
    shares = np.random.default_rng(2).dirichlet(np.ones(len(values)))
    means = np.array([np.nan, np.nan, *(shares @ truth)[2:]])
    result = close_residuals(values, NESTED, np.abs(values), -wide, wide, means, shares)
    assert not is_open(NESTED, result).any()
    np.testing.assert_allclose(shares @ result, shares @ truth, rtol=1e-13)


def test_identities_that_say_the_same_do_no_harm():
    _, values, wide = nearly_additive()
    twice = Identities(np.vstack([NESTED.coefficients, 3 * NESTED.coefficients]), np.zeros(4))
    result = close_residuals(values, twice, np.abs(values), -wide, wide)
    assert not is_open(NESTED, result).any()
