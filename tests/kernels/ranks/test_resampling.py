from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ammg.kernels.loss.information_loss import average, il1s_entries
from ammg.kernels.ranks.resampling import resample_ranks, resample_sources


@settings(max_examples=60, deadline=None)
@given(values=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60), samples=st.integers(1, 3))
def test_order_and_range_are_kept(values, samples):
    column = np.array(values)
    masked = resample_ranks(column, samples, np.random.default_rng(0))
    assert masked.min() >= column.min()
    assert masked.max() <= column.max()
    distinct = np.argsort(column, kind="stable")
    rises = np.diff(column[distinct]) > 0
    assert (np.diff(masked[distinct])[rises] >= 0).all()


def test_one_sample_draws_values_of_the_file():
    column = np.random.default_rng(0).normal(size=500)
    masked = resample_ranks(column, 1, np.random.default_rng(1))
    assert np.isin(masked, column).all()
    assert 0.55 < len(np.unique(masked)) / 500 < 0.7  # 1 - 1/e of the values are drawn


def test_losses_on_census_are_those_of_the_prototype(census, shared):
    lines = (shared / "spec" / "targets" / "mateo_prototype_values.csv").read_text().splitlines()
    published = {line.split(",")[1]: float(line.split(",")[4]) for line in lines if line.startswith("CENSUS")}
    for samples in (1, 3):
        losses = []
        for seed in range(10):
            rng = np.random.default_rng(seed)
            masked = np.column_stack([resample_ranks(column, samples, rng) for column in census.T])
            losses.append(average(il1s_entries(census, masked)))
        assert np.mean(losses) == pytest.approx(published[f"RS{samples}"], abs=0.004)


def test_no_sample_is_no_resampling():
    with pytest.raises(ValueError, match="at least one sample"):
        resample_ranks(np.ones(3), 0, np.random.default_rng(0))
    assert len(resample_ranks(np.empty(0), 2, np.random.default_rng(0))) == 0


def test_the_sources_of_one_sample_are_where_its_values_come_from():
    values = np.random.default_rng(1).normal(size=500).round(1)
    sources = resample_sources(values, np.random.default_rng(2))
    assert (values[sources] == resample_ranks(values, 1, np.random.default_rng(2))).all()
