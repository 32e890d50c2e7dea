import numpy as np

from ammg.kernels.scaling import EXTREME, exponents, only_extreme, scaled, within_reach


def test_the_exponent_is_that_of_the_greatest_finite_number():
    values = np.array([[1.0, -1e300, 5e-324, 0.0], [3.0, 2.0, np.nan, np.nan], [-0.5, np.inf, 1e-323, 0.0]])
    assert exponents(values).tolist() == [2, 997, -1072, 0]


def test_scaling_is_exact_to_the_last_bit_even_of_denormal_numbers():
    values = np.random.default_rng(1).normal(size=50).astype(np.float32).astype(np.float64)
    for exponent in (-1030, -600, 600, 1000):
        moved = np.ldexp(values, exponent)
        by = exponents(moved[:, None])
        assert np.array_equal(scaled(moved[:, None], by)[:, 0], scaled(values[:, None], by - exponent)[:, 0])


def test_ordinary_columns_stay_as_they_are():
    assert only_extreme(np.array([0, EXTREME, -EXTREME, EXTREME + 1, -EXTREME - 1])).tolist() == [0, 0, 0, 481, -481]


def test_values_out_of_reach_are_cut_off_and_missing_ones_stay():
    values = np.array([[1.0, 1e300], [np.nan, -1e300]])
    cut = within_reach(values, np.array([1, 1], dtype=np.int32))
    assert cut[0, 0] == 1.0
    assert np.isnan(cut[1, 0])
    assert cut[:, 1].tolist() == [2.0**251, -(2.0**251)]
    assert within_reach(values[:, :1], np.array([1], dtype=np.int32)) is not cut
