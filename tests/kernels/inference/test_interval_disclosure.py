from __future__ import annotations

import csv

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ammg.kernels.inference.interval_disclosure import deviation_intervals, rank_intervals
from ammg.kernels.ranks.rank_swap import swap_ranks


def by_definition(original, masked, percent, half):
    ordered = np.sort(masked[~np.isnan(masked)])
    n = len(ordered)
    shares = np.full(len(masked), np.nan)
    for i, (x, z) in enumerate(zip(original, masked, strict=True)):
        if np.isnan(x + z):
            continue
        first, last = np.flatnonzero(ordered == z)[[0, -1]]
        hits = 0
        for p in percent:
            h = p * n / (100 if half else 200)
            low = ordered[max(0, int(np.ceil(first - h)))]
            high = ordered[min(n - 1, int(np.floor(last + h)))]
            hits += low <= x <= high
        shares[i] = hits / len(percent)
    return shares


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 120), st.integers(1, 200), st.booleans())
def test_rank_intervals_follow_the_definition(seed, n, levels, half):
    rng = np.random.default_rng(seed)
    original, masked = rng.integers(0, levels, (2, n)).astype(float)
    original[rng.random(n) < 0.1] = np.nan
    masked[rng.random(n) < 0.1] = np.nan
    percent = tuple(range(1, 11))
    found = rank_intervals(original, masked, percent, "half" if half else "full")
    assert np.allclose(found, by_definition(original, masked, percent, half), equal_nan=True)


@pytest.mark.parametrize("levels", [40, 100_000])
def test_rank_intervals_of_many_records_follow_the_definition(levels):
    rng = np.random.default_rng(levels)
    masked = rng.integers(0, levels, 2500).astype(float)
    original = masked + rng.integers(0, levels // 5, 2500)
    original[:20], masked[10:30] = np.nan, np.nan
    np.testing.assert_array_equal(rank_intervals(original, masked), by_definition(original, masked, range(1, 11), True))


@pytest.mark.parametrize("measure", [rank_intervals, deviation_intervals])
def test_identical_files_disclose_everything(measure, census):
    assert all((measure(column, column) == 1).all() for column in census.T)


def test_rank_intervals_do_not_depend_on_the_scale():
    rng = np.random.default_rng(1)
    original, masked = rng.normal(size=(2, 500))
    assert np.array_equal(rank_intervals(original, masked), rank_intervals(np.exp(original), np.exp(masked)))


def test_deviation_intervals_follow_the_definition():
    masked = np.array([0.0, 10.0, 20.0])  # standard deviation 10: widths 0.1, 0.2, …, 1
    assert deviation_intervals(np.array([0.1, 10.45, 21.5]), masked).tolist() == [1.0, 0.6, 0.0]
    assert deviation_intervals(np.array([0.0, 10.45, np.nan]), masked, width="full")[1] == pytest.approx(0.2)
    assert deviation_intervals(np.array([5.0, 10.0, 20.0]), masked, deviation=100.0).tolist() == [0.6, 1.0, 1.0]


def test_a_constant_column_discloses_everything():
    assert deviation_intervals(np.array([3.0, np.nan]), np.array([3.0, 3.0])).tolist()[0] == 1
    assert rank_intervals(np.array([3.0, 3.0]), np.array([3.0, 3.0])).tolist() == [1, 1]


@pytest.mark.parametrize("percent", [5, 15])
def test_rank_swapping_of_census_has_the_rates_of_the_prototype(census, shared, percent):
    with (shared / "spec" / "targets" / "mateo_prototype_values.csv").open() as lines:
        row = next(r for r in csv.DictReader(lines) if (r["dataset"], r["method"]) == ("CENSUS", f"R{percent}"))
    rng = np.random.default_rng(0)
    masked = np.column_stack([swap_ranks(column, 1080 * percent // 100, rng) for column in census.T])
    pairs = list(zip(census.T, masked.T, strict=True))
    assert 100 * np.mean([rank_intervals(x, z) for x, z in pairs]) == pytest.approx(float(row["RID_all"]), abs=1.5)
    assert 100 * np.mean([deviation_intervals(x, z) for x, z in pairs]) == pytest.approx(
        float(row["SDID_all"]), abs=1.5
    )
