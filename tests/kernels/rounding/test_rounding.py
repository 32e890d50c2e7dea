from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ammg.kernels.rounding.rounding import round_classwise, round_nearest, round_random, round_systematic, split

values_and_base = st.tuples(
    st.lists(st.floats(-1e5, 1e5).map(lambda x: round(x, 2)), min_size=1, max_size=60).map(np.array),
    st.sampled_from([0.1, 1.0, 3.0, 5.0, 10.0, 1000.0]),
)


@settings(max_examples=80, deadline=None)
@given(case=values_and_base, seed=st.integers(0, 10**6))
def test_every_rule_sends_each_value_to_a_neighbouring_multiple(case, seed):
    values, base = case
    rng = np.random.default_rng(seed)
    for rounded in (
        round_nearest(values, base),
        round_random(values, base, rng.random(len(values))),
        round_systematic(values, base, rng),
        round_classwise(values, base, rng),
    ):
        multiple = rounded / base
        np.testing.assert_allclose(multiple, np.rint(multiple), atol=1e-6)
        assert (np.abs(rounded - values) < base * (1 + 1e-9)).all()


@settings(max_examples=80, deadline=None)
@given(case=values_and_base, seed=st.integers(0, 10**6))
def test_systematic_rounding_keeps_the_total_and_every_group_total_within_one_base(case, seed):
    values, base = case
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 5, len(values))
    rounded = round_systematic(values, base, rng, groups)
    assert abs(rounded.sum() - values.sum()) < base * (1 + 1e-6)
    for group in set(groups):
        assert abs((rounded - values)[groups == group].sum()) < base * (1 + 1e-6)


@pytest.mark.parametrize("rule", ["independent", "systematic", "grouped"])
def test_random_rounding_is_unbiased_over_two_thousand_draws(rule):
    rng = np.random.default_rng(0)
    values, groups, base, repeats = rng.integers(0, 200, 40).astype(float), np.arange(40) % 4, 10.0, 2000
    total = np.zeros(40)
    for _ in range(repeats):
        if rule == "independent":
            total += round_random(values, base, rng.random(40))
        else:
            total += round_systematic(values, base, rng, groups if rule == "grouped" else None)
    residual = values % base
    sigma = np.sqrt(residual * (base - residual) / repeats)
    assert (np.abs(total / repeats - values) <= 4 * sigma + 1e-12).all()


def test_multiples_stay_even_where_binary_fractions_are_inexact():
    values = np.arange(-50, 50) * 0.1
    lower, residual = split(values, 0.1)
    assert (residual == 0).all()
    np.testing.assert_allclose(0.1 * lower, values)


def test_class_by_class_rounding_sends_up_the_nearest_whole_number_of_each_residual():
    values = np.repeat([3.0, 17.0, 20.0], [10, 5, 4])
    rounded = round_classwise(values, 10.0, np.random.default_rng(0))
    assert (rounded[:10] == 10).sum() == 3
    assert (rounded[10:15] == 20).sum() == 4  # 5 x 0.7 = 3.5, half to even
    assert (rounded[15:] == 20).all()


def test_half_way_values_go_to_even_or_up():
    values = np.array([-15.0, -5.0, 5.0, 15.0, 14.9])
    assert round_nearest(values, 10).tolist() == [-20, 0, 0, 20, 10]
    assert round_nearest(values, 10, half="up").tolist() == [-10, 0, 10, 20, 10]


@pytest.mark.parametrize("base", ["0.1", "0.01", "0.05", "0.25", "2.5", "0.001", "1.1"])
def test_decimal_halves_go_to_the_even_multiple_and_multiples_are_the_nearest_numbers(base):
    halves = np.random.default_rng(0).integers(-(10**6), 10**6, 3000)
    values = np.array([float(Decimal(int(k)) / 2 * Decimal(base)) for k in halves])
    even = [int((Decimal(int(k)) / 2).quantize(Decimal(1), ROUND_HALF_EVEN)) for k in halves]
    assert round_nearest(values, float(base)).tolist() == [float(k * Decimal(base)) for k in even]


def test_a_value_near_a_half_is_none():
    assert round_nearest(np.array([0.35, 0.349999, 0.350001, 0.25, 0.250001]), 0.1).tolist() == [
        0.4,
        0.3,
        0.4,
        0.2,
        0.3,
    ]
    large = np.array([999999999999994.0, 4e15 + 4])
    assert round_nearest(large, 10).tolist() == [999999999999990.0, 4e15]


def test_every_rule_gives_decimal_multiples():
    rng = np.random.default_rng(0)
    values = rng.integers(0, 10**5, 2000) / 100
    decimal = set(np.arange(0, 10**4 + 1) / 10)
    for rounded in (
        round_random(values, 0.1, rng.random(2000)),
        round_systematic(values, 0.1, rng),
        round_classwise(values, 0.1, rng),
    ):
        assert set(rounded) <= decimal


def test_missing_values_stay_missing_and_infinite_ones_are_refused():
    values = np.array([np.nan, 13.0])
    rng = np.random.default_rng(0)
    for rounded in (
        round_nearest(values, 10),
        round_random(values, 10, rng.random(2)),
        round_systematic(values, 10, rng),
        round_classwise(values, 10, rng),
    ):
        assert np.isnan(rounded[0])
        assert rounded[1] in (10, 20)
    with pytest.raises(ValueError, match="infinite"):
        round_nearest(np.array([np.inf]), 10)
    with pytest.raises(ValueError, match="positive number"):
        round_nearest(values, 0)
