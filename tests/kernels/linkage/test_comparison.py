from __future__ import annotations

import numpy as np
import pytest

from ammg.kernels.linkage.comparison import agreement, agreement_shares, compare


def ratio(a, b, metric):
    """The distance ratio q of one pair, read back from the encoding."""
    encoded = compare(np.array([[a]], float), np.array([[b]], float), [metric])
    return float(np.abs(encoded.original - encoded.masked)[0, 0] / encoded.reach[0, 0])


@pytest.mark.parametrize(("a", "b"), [(100.0, 110.0), (-50.0, 25.0), (0.0, 0.04), (1e6, 1e6)])
def test_d_metric_is_the_relative_difference_with_a_floor(a, b):
    assert ratio(a, b, "d") == pytest.approx(abs(a - b) / max(abs(a), 0.1))


@pytest.mark.parametrize(("a", "b"), [(100.0, 110.0), (1.0, 2.0), (1e-8, 1e-3), (-20.0, -30.0)])
def test_l_metric_is_the_relative_difference_of_logarithms(a, b):
    expected = abs(np.log(abs(a)) - np.log(abs(b))) / max(abs(np.log(abs(a))), 0.1)
    assert ratio(a, b, "l") == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("a", "b"), [(5.0, 0.0), (5.0, -5.0), (0.0, 1e-300), (-1e300, 1e300), (1e-300, -1e-300)])
def test_l_metric_disagrees_between_unlike_signs(a, b):
    assert ratio(a, b, "l") >= 1


def test_l_metric_agrees_on_two_zeros():
    assert ratio(0.0, 0.0, "l") == 0


def test_asinh_takes_zeros_and_signs_as_they_come():
    assert ratio(0.0, 0.05, "asinh") == pytest.approx(np.arcsinh(0.05) / 0.1)
    assert ratio(-3.0, 3.0, "asinh") == pytest.approx(2.0)


def test_codes_agree_only_when_equal():
    assert ratio(3, 3, "equal") == 0
    assert ratio(3, 4, "equal") >= 1


def test_agreement_shares_are_those_of_all_pairs():
    rng = np.random.default_rng(1)
    original = np.round(rng.lognormal(3, 1, (60, 3)))
    masked = np.round(rng.lognormal(3, 1, (80, 3)))
    original[rng.random(original.shape) < 0.1] = np.nan
    masked[rng.random(masked.shape) < 0.1] = np.nan
    encoded = compare(original, masked, ["d", "l", "equal"])
    gap = np.abs(encoded.original[:, None] - encoded.masked[None])
    agrees = gap <= 0.05 * encoded.reach[:, None]
    expected = agrees.sum(axis=1) / (~np.isnan(encoded.masked)).sum(axis=0)
    shares = agreement_shares(encoded, 0.05)
    assert np.array_equal(np.isnan(shares), np.isnan(original))
    assert np.allclose(shares[~np.isnan(shares)], expected[~np.isnan(shares)])


def test_agreement_of_links_is_missing_where_a_value_is():
    encoded = compare(np.array([[10.0, 1.0], [np.nan, 2.0]]), np.array([[10.1, 3.0], [5.0, 2.0]]), ["d", "equal"])
    assert np.array_equal(
        agreement(encoded, np.array([0, 1]), np.array([0, 1]), 0.05), [[1, 0], [np.nan, 1]], equal_nan=True
    )
