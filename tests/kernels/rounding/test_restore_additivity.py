import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from ammg.kernels.rounding.additive_means import restore_with_means
from ammg.kernels.rounding.restore_additivity import Identities, Infeasible, restore_additivity

INF = np.inf
SUM = Identities(np.array([[1.0, -1.0, -1.0, -1.0]]), np.zeros(1))
NESTED = Identities(np.array([[1.0, -1.0, -1.0, 0, 0], [0, 1.0, 0, -1.0, -2.5]]), np.zeros(2))


def bounds(values, low=-INF, high=INF):
    return np.full(values.shape, low), np.full(values.shape, high)


def naive(values):
    """The total computed anew."""
    return np.column_stack([values[:, 1:].sum(axis=1), values[:, 1:]])


def cost(values, result, costs):
    return float((np.abs(result - values) * costs).sum())


def least_cost(record, identities, costs, low, high):
    """One record by a dense program of its own."""
    a = identities.coefficients / costs  # moves in units that cost one each
    a, b = a / np.abs(a).max(), (identities.constants - identities.coefficients @ record) / np.abs(a).max()
    room = np.concatenate([(high - record) * costs, (record - low) * costs])
    answer = linprog(
        np.ones(len(room)),
        A_eq=np.hstack([a, -a]),
        b_eq=b,
        bounds=np.column_stack([np.zeros(len(room)), room]),
    )
    return answer.fun


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.floats(-3, 6), st.sampled_from([SUM, NESTED]))
def test_identities_hold_within_bounds_at_the_least_cost(seed, exponent, identities):
    rng = np.random.default_rng(seed)
    m = identities.coefficients.shape[1]
    values = rng.lognormal(size=(7, m)) * 10**exponent * rng.lognormal(size=m) * (rng.random((7, m)) > 0.2)
    costs = 1 / values.std(axis=0, ddof=1)
    if not np.isfinite(costs).all():
        return
    low, high = bounds(values, 0.0)
    result = restore_additivity(values, identities, costs, low, high)
    sizes = np.abs(values).max()
    assert np.abs(identities.residuals(result)).max() <= 1e-9 * sizes
    assert result.min() >= 0
    for before, after in zip(values, result, strict=True):
        best = least_cost(before, identities, costs, low[0], high[0])
        assert cost(before, after, costs) == pytest.approx(best, rel=1e-6, abs=1e-7)


def test_records_that_satisfy_are_untouched_and_the_repair_is_no_dearer_than_a_new_total():
    rng = np.random.default_rng(1)
    values = naive(rng.lognormal(size=(500, 4)))
    costs = 1 / values.std(axis=0)
    broken = values + rng.normal(size=values.shape) * (rng.random((500, 1)) > 0.5)
    result = restore_additivity(broken, SUM, costs, *bounds(values))
    same = (broken == values).all(axis=1)
    assert 100 < same.sum() < 400
    np.testing.assert_array_equal(result[same], values[same])
    assert cost(broken, result, costs) <= cost(broken, naive(broken), costs)
    assert np.count_nonzero(result != broken) == np.count_nonzero(~same)  # one value a record


def test_many_records_and_identities_are_solved_in_batches():
    rng = np.random.default_rng(2)
    values = rng.lognormal(size=(4_500, 5))
    costs = 1 / values.std(axis=0)
    result = restore_additivity(values, NESTED, costs, *bounds(values, 0.0, 50.0))
    assert not NESTED.broken(result, 1e-9).any()
    again = restore_additivity(result, NESTED, costs, *bounds(values, 0.0, 50.0))
    np.testing.assert_array_equal(again, result)


def test_identities_without_common_columns_are_apart():
    identities = Identities(np.array([[1.0, -1, 0, 0], [0, 0, 1, 1]]), np.array([0.0, 100]))
    values = np.array([[3.0, 5, 40, 50]])
    result = restore_additivity(values, identities, np.array([2.0, 1, 1, 2]), *bounds(values))
    np.testing.assert_array_equal(result, [[3, 3, 50, 50]])


def test_a_value_at_its_bound_hands_the_rest_on():
    values = np.array([[1.0, 5.0, 5.0, 2.0]])
    result = restore_additivity(values, SUM, np.array([9.0, 1.0, 2.0, 3.0]), *bounds(values, 0.0))
    np.testing.assert_array_equal(result, [[1, 0, 0, 1]])


def test_values_beyond_their_bounds_come_back():
    values = np.array([[1.0, -2.0, 2.0, 1.0]])
    result = restore_additivity(values, SUM, np.array([9.0, 1.0, 2.0, 3.0]), *bounds(values, 0.0))
    np.testing.assert_array_equal(result, [[1, 0, 0, 1]])


@pytest.mark.parametrize("identities", [SUM, Identities(np.array([[1.0, -2, -1, 0], [0, 1, 3, -1]]), np.zeros(2))])
def test_whole_numbers_stay_whole(identities):
    values = np.random.default_rng(4).integers(0, 30, (40, 4)).astype(float)
    values[::2] += 0.4
    result = restore_additivity(values, identities, 1 / values.std(axis=0), *bounds(values, 0.0), integers=True)
    np.testing.assert_array_equal(result, np.rint(result))
    assert not identities.residuals(result).any()
    assert result.min() >= 0


@pytest.mark.parametrize("identities", [SUM, Identities(np.vstack([SUM.coefficients, [[0, 1.0, -1, 0]]]), np.zeros(2))])
def test_records_without_a_solution_are_named(identities):
    values = np.array([[4.0, 2, 2, 0], [9.0, 1, 1, 1], [-5.0, 1, 1, 1], [-1.0, 3, 3, 0]])
    low, high = bounds(values, 0.0)
    low[:, 0] = high[:, 0] = values[:, 0]  # the total is fixed
    with pytest.raises(Infeasible) as failure:
        restore_additivity(values, identities, np.ones(4), low, high)
    assert failure.value.identity == 0
    np.testing.assert_array_equal(failure.value.records, [2, 3])


def feasible_system(seed):
    """Columns of unlike scales, each identity a new column from some before it, noise on all: the truth is feasible."""
    rng = np.random.default_rng(seed)
    n, leaves = rng.choice([3, 25]), rng.integers(2, 5)
    truth = rng.lognormal(sigma=rng.choice([1.0, 3.0]), size=(n, leaves)) * 10 ** rng.uniform(-3, 6, leaves)
    truth *= rng.random((n, leaves)) >= rng.choice([0.0, 0.5])
    rows = []
    for _ in range(rng.integers(1, 5)):
        rows.append(rng.choice([1.0, 1.0, -1.0, 0.2, 10.0, 1 / 3, 0.0, 0.0], truth.shape[1]))
        cancels = np.abs(truth @ rows[-1]) < 1e-12 * (np.abs(truth) @ np.abs(rows[-1]))
        truth = np.column_stack([truth, np.where(cancels, 0.0, truth @ rows[-1])])
    m = truth.shape[1]
    coefficients = np.array([[*row, -1.0, *np.zeros(m - len(row) - 1)] for row in rows])
    spread = np.where(truth.std(axis=0) > 0, truth.std(axis=0), 1.0)
    values = truth + rng.normal(size=truth.shape) * spread * rng.choice([1e-3, 1.0])
    bounded = rng.random(m) < rng.choice([0.0, 0.5, 1.0])
    low = np.where(bounded, truth.min(axis=0), -INF) * np.ones_like(truth)
    high = np.where(bounded, truth.max(axis=0), INF) * np.ones_like(truth)
    named = coefficients.any(axis=0) & (rng.random(m) < 0.6)
    means = np.where(named, truth.mean(axis=0), np.nan) if rng.random() < 0.5 else None
    return values, Identities(coefficients, np.zeros(len(rows))), 1 / spread, low, high, means, truth


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 10**6))
@example(1875)
def test_any_feasible_system_is_solved_to_rounding(seed):
    *problem, means, truth = feasible_system(seed)
    values, identities, costs, low, high = problem
    result = restore_additivity(*problem) if means is None else restore_with_means(*problem, means)
    sizes = identities.sizes(result)
    rounding = 1e-13 * sizes.max(axis=1, keepdims=True)
    assert (np.abs(identities.residuals(result)) <= 1e-9 * sizes + rounding).all()
    assert ((low <= result) & (result <= high)).all()
    if costs.max() <= 1e8 * costs.min():  # with more digits between columns the way there may be a longer one
        assert cost(values, result, costs) <= cost(values, truth, costs) * (1 + 1e-6)
    if means is not None:
        missed = np.abs(result.mean(axis=0) - means)
        assert (np.nan_to_num(missed) <= 1e-9 * np.abs(result).mean(axis=0) + rounding.mean()).all()
