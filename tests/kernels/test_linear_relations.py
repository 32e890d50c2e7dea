"""Linear relations are found by elimination, made simple and short."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ammg.kernels.linear_relations import linear_relations, residual


def amounts(columns: int, n: int = 500, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).lognormal(8, 1, (n, columns)).round(2)


def test_independent_columns_have_no_relation() -> None:
    assert linear_relations(amounts(8)) == []


def test_a_total_is_found_with_whole_coefficients() -> None:
    parts = amounts(3)
    relations = linear_relations(np.c_[parts, parts.sum(axis=1)])
    assert len(relations) == 1
    np.testing.assert_array_equal(relations[0], [-1, -1, -1, 1, 0])


def test_chained_totals_are_told_apart() -> None:
    a, b, tax = amounts(3).T
    gross = a + b
    relations = linear_relations(np.c_[gross - tax, tax, gross, a, b])
    assert sorted(int(np.count_nonzero(r[:-1])) for r in relations) == [3, 3]


def test_a_linear_image_keeps_its_slope_and_constant() -> None:
    celsius = np.random.default_rng(0).normal(10, 8, 300).round(1)
    (relation,) = linear_relations(np.c_[celsius, 1.8 * celsius + 32])
    np.testing.assert_allclose(relation, [-1.8, 1, 32], atol=1e-12)


def test_rounding_does_not_hide_a_share() -> None:
    wages = amounts(1)[:, 0]
    (relation,) = linear_relations(np.c_[wages, np.round(0.0765 * wages)])
    assert relation[0] == -0.0765


def test_what_only_nearly_adds_up_is_no_relation() -> None:
    a, b = amounts(2).T
    noise = np.random.default_rng(1).normal(0, 0.01 * a.std(), len(a))
    assert linear_relations(np.c_[a, b, a + b + noise]) == []


def test_one_record_that_breaks_a_total_is_enough() -> None:
    a, b = amounts(2).T
    total = a + b
    total[17] += 5_000
    assert linear_relations(np.c_[a, b, total]) == []


def test_constant_columns_take_part_in_nothing() -> None:
    values = np.c_[amounts(2), np.ones(500), np.full(500, 7.0)]
    assert linear_relations(values) == []


def test_shares_of_a_whole_are_found() -> None:
    female = np.random.default_rng(2).integers(0, 2, 100).astype(float)
    (relation,) = linear_relations(np.c_[female, 1 - female])
    np.testing.assert_array_equal(relation, [1, 1, 1])


@pytest.mark.parametrize("n", [0, 1, 5])
def test_too_few_records_say_nothing(n: int) -> None:
    assert linear_relations(amounts(3, n)) == []


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from([-3, -2, -1, -0.5, 0.25, 1, 2, 10]), min_size=1, max_size=5),
    st.integers(-1000, 1000),
    st.integers(0, 10_000),
)
def test_any_simple_combination_is_found_exactly(weights: list[float], constant: int, seed: int) -> None:
    parts = np.random.default_rng(seed).integers(0, 100_000, (200, len(weights))).astype(float)
    total = parts @ np.array(weights) + constant
    (relation,) = linear_relations(np.c_[parts, total])
    np.testing.assert_allclose(relation, [*(-np.array(weights)), 1, constant], rtol=1e-9, atol=1e-9)
    assert residual(np.c_[parts, total], relation) < 1e-6


@pytest.mark.parametrize("exponent", [-1000, -520, 520, 1000])
def test_sums_of_extreme_columns_are_found(exponent):
    parts = np.random.default_rng(3).integers(1, 1000, (60, 2)).astype(float)
    values = np.ldexp(np.column_stack([parts, parts.sum(axis=1) + 5]), exponent)
    (relation,) = linear_relations(values)
    assert relation[:3].tolist() in ([-1, -1, 1], [1, 1, -1])
    assert abs(relation[3]) == np.ldexp(5.0, exponent)
