from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from ammg.kernels.loss.information_loss import (
    average,
    average_il1,
    il1_by_record,
    il1_entries,
    il1s_entries,
    il3_entries,
    information_loss,
)
from ammg.kernels.pairwise import pairwise_moments

files = arrays.arrays(float, st.tuples(st.integers(3, 12), st.integers(2, 4)), elements=st.integers(-5, 5).map(float))


@pytest.mark.parametrize("version", ["symmetric", "original", "record"])
@settings(max_examples=40, deadline=None)
@given(original=files)
def test_a_file_compared_with_itself_has_lost_nothing(version, original):
    loss = information_loss(original, original, version=version, zero="masked")
    assert all(value == 0 or np.isnan(value) for value in loss[:7])


@settings(max_examples=40, deadline=None)
@given(original=files, seed=st.integers(0, 1000))
def test_order_of_records_and_columns_does_not_matter(original, seed):
    rng = np.random.default_rng(seed)
    masked = original + rng.normal(size=original.shape)
    rows, columns = rng.permutation(original.shape[0]), rng.permutation(original.shape[1])
    np.testing.assert_allclose(
        information_loss(original, masked),
        information_loss(original[rows][:, columns], masked[rows][:, columns]),
        rtol=1e-6,
        atol=1e-9,
    )


@settings(max_examples=40, deadline=None)
@given(original=files, seed=st.integers(0, 1000))
def test_symmetric_change_is_symmetric_and_at_most_two(original, seed):
    masked = np.random.default_rng(seed).permutation(original)
    cells = il1_entries(original, masked)
    assert (cells == il1_entries(masked, original)).all()
    assert cells.min() >= 0
    assert cells.max() <= 2


def test_the_rules_for_zero_are_those_of_the_papers():
    original = np.array([[0.0, 4.0, 0.0]])
    masked = np.array([[3.0, 5.0, 0.0]])
    np.testing.assert_array_equal(il1_entries(original, masked, "symmetric"), [[2.0, 1 / 4.5, 0.0]])
    np.testing.assert_array_equal(il1_entries(original, masked, "original"), [[3.0, 0.25, 0.0]])
    np.testing.assert_array_equal(il1_entries(original, masked, "original", constant=2.0), [[1.5, 0.25, 0.0]])
    np.testing.assert_array_equal(il1_entries(original, masked, "original", "masked"), [[1.0, 0.25, np.nan]])
    kept = il1_entries(original, masked, "record")
    assert average_il1(kept, "record") == pytest.approx(100 * 1.25 / 2)
    assert average_il1(kept, "record", divisor="all") == pytest.approx(100 * 1.25 / 3)
    assert np.isnan(il1_by_record(np.array([[np.nan, np.nan]])))


def test_losses_of_a_file_worked_by_hand():
    original = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 6.0]])
    masked = np.array([[1.0, 4.0], [2.0, 1.0], [6.0, 4.0]])
    loss = information_loss(original, masked)
    assert loss.il1 == pytest.approx((0 + 2 / 3 + 0 + 0 + 3 / 4.5 + 2 / 5) / 6)
    assert loss.il1s == pytest.approx((3 + (2 + 2) / np.sqrt(7)) / np.sqrt(2) / 6)  # S = 1 and √7
    assert loss.il2 == pytest.approx((1 / 2 + 0) / 2)
    # C = [1, 2; 2, 7], D = [7, 3/2; 3/2, 3]
    assert loss.il3 == pytest.approx((6 + 0.5 / 2 + 4 / 7) / 3)
    assert loss.il3r == pytest.approx((6 + 0.5 / np.sqrt(7) + 4 / 7) / 3)
    assert loss.il4 == pytest.approx((6 + 4 / 7) / 2)
    assert loss.il5 == pytest.approx(2 / np.sqrt(7) - 1.5 / np.sqrt(21))
    assert loss.s0 == pytest.approx((loss.il2 + loss.il3 + loss.il4 + loss.il5) / 4)
    assert loss.s1 == pytest.approx((loss.il1 + loss.il2 + loss.il3 + loss.il4 + loss.il5) / 5)
    assert loss.s2 == pytest.approx((loss.il1s + loss.il2 + loss.il4 + loss.il5) / 4)
    assert loss.skipped == 0


def test_repeating_a_record_is_the_same_as_weighing_it():
    rng = np.random.default_rng(4)
    original = rng.normal(5, 1, size=(30, 3))
    masked = original + rng.normal(size=original.shape)
    weights = rng.integers(1, 4, 30)
    cells, repeated = il1_entries(original, masked), np.repeat(np.arange(30), weights)
    assert average(cells, weights.astype(float)) == pytest.approx(average(cells[repeated]))


def test_missing_cells_constant_columns_and_zero_covariances_are_left_out_and_counted():
    original = np.array([[1.0, 7.0, -1.0], [np.nan, 7.0, 0.0], [2.0, 7.0, 1.0], [1.0, 7.0, 0.0]])
    masked = original + np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [np.nan, 0.0, -1.0], [0.0, 0.0, 0.0]])
    loss = information_loss(original, masked)
    assert np.isfinite(loss[:7]).all()
    # IL2: the third mean is zero. IL3: three entries of the constant column. IL4: its variance.
    assert loss.skipped == 1 + 3 + 1
    assert np.isnan(il1s_entries(original, masked)[:, 1]).all()


def test_a_column_whose_variation_is_gone_loses_its_correlations():
    original = np.column_stack([np.arange(5.0), np.arange(5.0)])
    masked = np.column_stack([np.arange(5.0), np.full(5, 2.0)])
    assert information_loss(original, masked).il5 == pytest.approx(1.0)


def test_il3_of_census_is_led_by_nearly_uncorrelated_pairs(census):
    rng = np.random.default_rng(0)
    masked = census + 0.1 * census.std(axis=0) * rng.normal(size=census.shape)
    entries = il3_entries(pairwise_moments(census), pairwise_moments(masked))
    first = np.tril_indices(13)[1] == 0
    first &= np.tril_indices(13)[0] > 0
    assert entries[first].mean() > 5 * entries[~first].mean()


def test_il1s_of_individual_ranking_is_what_another_system_says(census, shared):
    # sdcMicro's dUtility on microaggregation(method="onedims", aggr=3): it sums the cells instead of averaging them.
    entries = json.loads((shared / "golden" / "dUtility.json").read_text())["entries"]
    golden = next(entry["result"] for entry in entries if entry["id"] == "CEN_onedims3_IL1s")
    sorted_file = np.sort(census, axis=0)
    groups = sorted_file.reshape(360, 3, 13).mean(axis=1)
    loss = average(il1s_entries(sorted_file, np.repeat(groups, 3, axis=0)))
    assert loss * census.size == pytest.approx(golden, rel=1e-9)
