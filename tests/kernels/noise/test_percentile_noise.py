from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ammg.kernels.noise.percentile_noise import percentile_groups, perturb_in_groups, perturb_records_in_groups


@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(st.integers(-20, 20), min_size=10, max_size=200),
    count=st.integers(1, 30),
    least=st.integers(1, 10),
)
def test_groups_follow_the_order_hold_ties_together_and_are_large_enough(values, count, least):
    column = np.array(values, dtype=float)
    labels, merged = percentile_groups(column, count, least)
    sizes = np.bincount(labels)
    assert sizes.min() >= least
    assert len(sizes) <= count
    assert merged >= 0
    order = np.argsort(column, kind="stable")
    assert (np.diff(labels[order]) >= 0).all()
    assert all(len(set(labels[column == value])) == 1 for value in set(values))


def test_groups_of_distinct_values_have_equal_sizes():
    labels, merged = percentile_groups(np.random.default_rng(0).permutation(1000).astype(float), 20)
    assert (np.bincount(labels) == 50).all()
    assert merged == 0


def test_small_groups_are_merged_and_counted():
    labels, merged = percentile_groups(np.arange(100.0), 20, least=10)
    assert (np.bincount(labels) == 10).all()
    assert merged == 10


def test_ties_can_be_broken_by_a_random_key():
    labels, _ = percentile_groups(np.zeros(100), 4, ties=np.random.default_rng(0).random(100))
    assert (np.bincount(labels) == 25).all()


def test_zeros_can_stand_apart():
    values = np.r_[np.zeros(3), np.arange(1.0, 101.0)]
    labels, _ = percentile_groups(values, 5, own_zeros=True)
    assert set(labels[:3]) == {5}
    assert (np.bincount(labels)[:5] == 20).all()
    assert (percentile_groups(np.zeros(4), 5, own_zeros=True).labels == 0).all()


@pytest.mark.parametrize("delta", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_group_means_and_variances_are_kept_to_rounding(census, delta, weighted):
    rng = np.random.default_rng(4)
    income = census[:, 1]
    weights = rng.uniform(0.5, 3, len(income)) if weighted else None
    labels = percentile_groups(income, 20).labels
    masked = perturb_in_groups(income, labels, delta, rng.normal(size=len(income)), weights=weights)
    for group in range(labels.max() + 1):
        rows = labels == group
        part = None if weights is None else weights[rows]
        assert np.average(masked[rows], weights=part) == pytest.approx(np.average(income[rows], weights=part), rel=1e-9)
        assert np.cov(masked[rows], aweights=part) == pytest.approx(np.cov(income[rows], aweights=part), rel=1e-9)
        correlation = np.cov(masked[rows], income[rows], aweights=part)[0, 1] / np.cov(income[rows], aweights=part)
        assert correlation == pytest.approx(np.sqrt(1 - delta**2), abs=1e-9)
    if not weighted:
        assert masked.var() == pytest.approx(income.var(), rel=1e-9)


def test_without_exactness_moments_hold_in_expectation():
    rng = np.random.default_rng(6)
    values = rng.lognormal(size=200_000)
    masked = perturb_in_groups(
        values, np.zeros(len(values), dtype=np.intp), 0.5, rng.normal(size=len(values)), exact=False
    )
    assert masked.mean() == pytest.approx(values.mean(), abs=4 * 0.5 * values.std() / np.sqrt(len(values)))
    assert masked.var() == pytest.approx(values.var(), rel=0.02)


def test_no_noise_gives_the_values_back():
    values = np.arange(40.0)
    labels = percentile_groups(values, 2).labels
    np.testing.assert_allclose(perturb_in_groups(values, labels, 0.0, np.ones(40)), values, atol=1e-12)


def test_parts_still_add_up_and_group_covariances_are_kept(census):
    rng = np.random.default_rng(7)
    records = census[:, [4, 7, 9]]  # PTOTVAL = POTHVAL + PEARNVAL
    labels = percentile_groups(records[:, 0], 20).labels
    masked, in_expectation = perturb_records_in_groups(records, labels, 0.5, rng.normal(size=records.shape))
    assert not len(in_expectation)
    assert np.abs(masked[:, 0] - masked[:, 1] - masked[:, 2]).max() < 1e-9 * np.abs(records).max()
    for group in range(labels.max() + 1):
        rows = labels == group
        before, after = np.cov(records[rows], rowvar=False), np.cov(masked[rows], rowvar=False)
        scale = np.sqrt(np.outer(np.diag(before), np.diag(before)))
        assert np.abs((after - before) / scale).max() < 1e-9
    assert np.corrcoef(masked[:, 0], records[:, 0])[0, 1] < 0.9999


def test_groups_too_small_for_exact_covariances_are_named_and_still_add_up():
    rng = np.random.default_rng(8)
    parts = rng.lognormal(size=(24, 2))
    records = np.column_stack([parts, parts.sum(axis=1)])
    labels = np.repeat([0, 1, 2], [12, 8, 4])
    masked, in_expectation = perturb_records_in_groups(records, labels, 0.7, rng.normal(size=records.shape))
    assert list(in_expectation) == [2]
    assert np.abs(masked[:, 2] - masked[:, 0] - masked[:, 1]).max() < 1e-9


def test_missing_values_stay_and_the_observed_ones_of_their_record_are_masked(census):
    rng = np.random.default_rng(9)
    records = census[:, [4, 7, 9]].copy()
    records[::5, 1] = np.nan
    labels = np.arange(len(records)) % 4
    masked, in_expectation = perturb_records_in_groups(records, labels, 0.5, rng.normal(size=records.shape))
    assert (np.isnan(masked) == np.isnan(records)).all()
    assert (masked != records)[~np.isnan(records)].all()
    assert set(in_expectation) == {0, 1, 2, 3}


def test_shares_of_noise_outside_zero_and_one_are_refused():
    with pytest.raises(ValueError, match="delta"):
        perturb_in_groups(np.ones(3), np.zeros(3, dtype=np.intp), 1.5, np.ones(3))
    with pytest.raises(ValueError, match="do not fill"):
        percentile_groups(np.ones(3), 2, least=10)
    with pytest.raises(ValueError, match="observed"):
        percentile_groups(np.array([1.0, np.nan]), 2, least=1)


def test_groups_without_weight_are_perturbed_as_if_all_records_counted():
    rng = np.random.default_rng(0)
    values, variates = np.sort(rng.normal(50, 10, 60)), rng.normal(size=60)
    labels = np.repeat([0, 1, 2], 20)
    weights = np.r_[np.ones(20), np.zeros(20), [5.0], np.zeros(19)]
    plain = perturb_in_groups(values, labels, 0.5, variates)
    assert perturb_in_groups(values, labels, 0.5, variates, weights=weights) == pytest.approx(plain, rel=1e-12)
    records = np.column_stack([values, values**2])
    both = np.column_stack([variates, rng.normal(size=60)])
    expected = perturb_records_in_groups(records, labels, 0.5, both)[0]
    assert perturb_records_in_groups(records, labels, 0.5, both, weights=weights)[0] == pytest.approx(
        expected, rel=1e-9
    )


def test_records_of_no_weight_get_noise_of_the_size_of_the_others():
    rng = np.random.default_rng(8)
    records, labels = rng.lognormal(3, 1, (200, 2)), np.repeat(np.arange(20), 10)
    for counting in range(2, 10):  # of the ten of each group
        weights = np.tile(np.r_[rng.uniform(1, 3, counting), np.zeros(10 - counting)], 20)
        variates = rng.normal(size=(200, 2))
        masked = perturb_in_groups(records[:, 0], labels, 0.5, variates[:, 0], weights=weights)
        together, expected = perturb_records_in_groups(records, labels, 0.5, variates, weights=weights)
        assert len(expected) == (20 if counting < 5 else 0)  # exact covariances of two columns need five that count
        for group in range(20):
            rows = labels == group
            plain = perturb_in_groups(records[rows, 0], labels[rows] * 0, 0.5, variates[rows, 0], False, weights[rows])
            np.testing.assert_allclose(masked[rows & (weights == 0)], plain[weights[rows] == 0])
            if counting >= 3:
                kept = np.average(masked[rows], weights=weights[rows])
                assert kept == pytest.approx(np.average(records[rows, 0], weights=weights[rows]), rel=1e-9)
            if counting >= 5:
                after = np.cov(together[rows], rowvar=False, aweights=weights[rows])
                before = np.cov(records[rows], rowvar=False, aweights=weights[rows])
                np.testing.assert_allclose(after, before, rtol=1e-8, atol=1e-8 * before.max())
        assert np.abs(together - records).max() < 5 * records.std() * np.abs(variates).max()
