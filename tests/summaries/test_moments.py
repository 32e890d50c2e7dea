"""Moments against numpy's."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from ammg.data.microdata import Microdata
from ammg.draws import CHUNK
from ammg.engines.local import LocalEngine
from ammg.summaries.moments import Moments, MomentValues

NAMES = ("a", "b", "c")


def moments(values: np.ndarray, weights: np.ndarray | None = None) -> MomentValues:
    table = pl.DataFrame({name: values[:, j] for j, name in enumerate(NAMES)})
    if weights is not None:
        table = table.with_columns(pl.Series("w", weights))
    return LocalEngine(1).open(Microdata(table)).fold(Moments(NAMES, None if weights is None else "w"))


def sample(n: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.lognormal(10, 1, size=(n, 1)) * [1, 2, 0.5] + rng.normal(0, 1e4, size=(n, 3))


def test_moments_are_numpys() -> None:
    x = sample(500)
    found = moments(x)
    assert found.count.tolist() == [500, 500, 500]
    np.testing.assert_allclose(found.mean, x.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(found.covariance, np.cov(x, rowvar=False), rtol=1e-12)
    np.testing.assert_allclose(found.deviation, x.std(axis=0, ddof=1), rtol=1e-12)


def test_weighted_moments_are_numpys_with_reliability_weights() -> None:
    x, w = sample(300), np.random.default_rng(2).uniform(1, 50, 300)
    found = moments(x, w)
    np.testing.assert_allclose(found.mean, np.average(x, axis=0, weights=w), rtol=1e-13)
    np.testing.assert_allclose(found.covariance, np.cov(x, rowvar=False, aweights=w), rtol=1e-11)


def test_missing_values_leave_each_pair_the_records_where_both_are_observed() -> None:
    x = sample(400)
    x[np.random.default_rng(3).random(x.shape) < 0.2] = np.nan
    found = moments(x)
    for j in range(3):
        assert found.mean[j] == pytest.approx(np.nanmean(x[:, j]), rel=1e-12)
        assert found.count[j] == np.count_nonzero(~np.isnan(x[:, j]))
        for k in range(3):
            both = ~np.isnan(x[:, j]) & ~np.isnan(x[:, k])
            assert found.covariance[j, k] == pytest.approx(np.cov(x[both, j], x[both, k])[0, 1], rel=1e-11)


def test_chunks_merged_are_the_whole_to_twelve_digits() -> None:
    x = sample(2 * CHUNK + 77)
    found = moments(x)
    np.testing.assert_allclose(found.mean, x.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(found.covariance, np.cov(x, rowvar=False), rtol=1e-12)


def test_chunks_of_which_one_has_no_observed_value_merge() -> None:
    x = sample(CHUNK + 1000)
    x[:CHUNK, 0] = np.nan
    found, rest = moments(x), x[CHUNK:]
    assert found.mean[0] == pytest.approx(rest[:, 0].mean(), rel=1e-12)
    assert found.covariance[0, 1] == pytest.approx(np.cov(rest[:, 0], rest[:, 1])[0, 1], rel=1e-10)
    assert found.mean[1] == pytest.approx(x[:, 1].mean(), rel=1e-12)


def test_a_large_mean_does_not_eat_a_small_variance() -> None:
    x = sample(1000) + 1e9
    np.testing.assert_allclose(moments(x).covariance, np.cov(x - 1e9, rowvar=False), rtol=1e-6)


def test_threads_do_not_change_a_bit() -> None:
    table = pl.DataFrame({name: sample(3 * CHUNK)[:, j] for j, name in enumerate(NAMES)})
    one, two = (LocalEngine(threads).open(Microdata(table)).fold(Moments(NAMES)) for threads in (1, 2))
    assert one.covariance.tobytes() == two.covariance.tobytes()


@pytest.mark.parametrize("n", [0, 1])
def test_too_few_records_have_no_spread(n: int) -> None:
    found = moments(sample(5)[:n])
    assert found.covariance.tolist() == [[0, 0, 0]] * 3


@settings(max_examples=40, deadline=None)
@given(arrays.arrays(float, (12, 3), elements=st.integers(-1000, 1000)), st.integers(1, 11))
def test_parts_cut_anywhere_merge_to_the_whole(values: np.ndarray, cut: int) -> None:
    summary = Moments(NAMES)
    engine = LocalEngine(1)

    def state(rows: np.ndarray) -> object:
        table = pl.DataFrame({name: rows[:, j] for j, name in enumerate(NAMES)})
        return summary.add(engine.open(Microdata(table)).block(NAMES))

    merged = summary.finish(summary.merge(state(values[:cut]), state(values[cut:])))
    np.testing.assert_allclose(merged.covariance, np.cov(values, rowvar=False), rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("offset", [1e15, -1e15, 1.7e18])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_mean_far_from_zero_takes_nothing_from_the_variance(offset, weighted) -> None:
    spacing = abs(np.spacing(offset))
    steps = np.round(np.random.default_rng(0).normal(0, 3, (5000, 3)))
    weights = np.random.default_rng(1).uniform(1, 5, 5000) if weighted else None
    found = moments(offset + spacing * steps, weights).covariance / spacing**2
    assert found == pytest.approx(np.cov(steps.T) if weights is None else moments(steps, weights).covariance, rel=1e-9)
