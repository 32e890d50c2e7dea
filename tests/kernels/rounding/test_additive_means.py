import numpy as np
import pytest

from ammg.kernels.rounding.additive_means import restore_with_means
from ammg.kernels.rounding.restore_additivity import Identities, Infeasible

SUM = Identities(np.array([[1.0, -1.0, -1.0]]), np.zeros(1))


def file(n=300, seed=0):
    rng = np.random.default_rng(seed)
    parts = rng.lognormal(3, 1, (n, 2))
    return np.column_stack([parts.sum(axis=1), parts]), rng


@pytest.mark.parametrize("weighted", [False, True])
def test_identities_bounds_and_totals_hold_together(weighted):
    truth, rng = file()
    values = truth + rng.normal(size=truth.shape) * 5
    weights = rng.uniform(1, 4, len(values)) if weighted else None
    means = np.average(truth, axis=0, weights=weights)
    low, high = np.zeros(values.shape), np.full(values.shape, np.inf)
    result = restore_with_means(values, SUM, 1 / truth.std(axis=0), low, high, means, weights)
    assert np.abs(SUM.residuals(result)).max() <= 1e-9 * truth.max()
    np.testing.assert_allclose(np.average(result, axis=0, weights=weights), means, rtol=1e-9)
    assert result.min() >= 0


def test_the_repair_costs_no_more_than_spreading_what_lacks():
    truth, rng = file()
    values = truth + rng.normal(size=truth.shape)
    means, costs = truth.mean(axis=0), 1 / truth.std(axis=0)
    low, high = np.full(values.shape, -np.inf), np.full(values.shape, np.inf)
    result = restore_with_means(values, SUM, costs, low, high, means)
    spread = values + means - values.mean(axis=0)
    spread[:, 0] = spread[:, 1:].sum(axis=1)
    assert (np.abs(result - values) @ costs).sum() <= (np.abs(spread - values) @ costs).sum()


def test_a_mean_that_is_not_given_is_free():
    values = np.array([[5.0, 1, 2], [5, 2, 3]])
    low, high = np.zeros((2, 3)), np.full((2, 3), np.inf)
    result = restore_with_means(values, SUM, np.array([1.0, 2, 3]), low, high, np.array([np.nan, 1.5, np.nan]))
    np.testing.assert_allclose(result, [[3, 1, 2], [5, 2, 3]], rtol=1e-12)


def test_means_that_break_an_identity_name_it():
    truth, _ = file(20)
    low, high = np.zeros(truth.shape), np.full(truth.shape, np.inf)
    with pytest.raises(Infeasible) as failure:
        restore_with_means(truth, SUM, np.ones(3), low, high, truth.mean(axis=0) + np.array([1.0, 0, 0]))
    assert failure.value.identity == 0


def test_a_mean_out_of_reach_is_named():
    truth, _ = file(20)
    with pytest.raises(Infeasible) as failure:
        restore_with_means(truth, SUM, np.ones(3), truth - 1, truth + 1, np.array([np.nan, np.nan, 1e6]))
    assert failure.value.identity is None
    assert failure.value.column == 2


def test_a_record_without_a_solution_is_named_before_the_means():
    truth, _ = file(20)
    low, high = np.zeros(truth.shape), np.full(truth.shape, np.inf)
    low[3], high[3] = [0, 5, 5], [1, 9, 9]
    with pytest.raises(Infeasible) as failure:
        restore_with_means(truth, SUM, np.ones(3), low, high, np.array([np.nan, 40.0, np.nan]))
    assert failure.value.identity == 0
    np.testing.assert_array_equal(failure.value.records, [3])


def test_means_that_are_not_firm_are_met_as_nearly_as_records_allow():
    values = np.array([[2.0, 2, 0], [2, 0, 2]])
    low, high = np.zeros((2, 3)), np.array([[1.0, 2, 0], [3, 0, 2]])  # the first sum is at most 1
    wanted = np.array([2.0, 1, 1])
    with pytest.raises(Infeasible):
        restore_with_means(values, SUM, np.ones(3), low, high, wanted)
    result = restore_with_means(values, SUM, np.ones(3), low, high, wanted, firm=False)
    np.testing.assert_allclose(result, [[1, 1, 0], [2, 0, 2]], rtol=1e-12)


def test_small_columns_keep_their_means_beside_large_ones():
    rng = np.random.default_rng(5)
    parts = rng.lognormal(size=(50, 2)) * [1e-3, 1e7]
    truth = np.column_stack([parts.sum(axis=1), parts])
    values = truth + rng.normal(size=truth.shape) * truth.std(axis=0)
    low, high = np.zeros(values.shape), np.full(values.shape, np.inf)
    result = restore_with_means(values, SUM, 1 / truth.std(axis=0), low, high, truth.mean(axis=0))
    np.testing.assert_allclose(result.mean(axis=0), truth.mean(axis=0), rtol=1e-12)
    assert not SUM.broken(result, 1e-13).any()
