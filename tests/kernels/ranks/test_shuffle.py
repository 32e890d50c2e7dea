from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from ammg.kernels.ranks.shuffle import mid_ranks, normal_scores, shuffle_columns


def test_every_multiset_is_kept_and_rank_correlations_of_census_within_two_hundredths(census):
    before = stats.spearmanr(census).statistic
    for seed in range(5):
        masked, _, gap = shuffle_columns(census, np.random.default_rng(seed))
        assert (np.sort(masked, axis=0) == np.sort(census, axis=0)).all()
        change = np.abs(stats.spearmanr(masked).statistic - before).max()
        assert change == pytest.approx(gap, abs=1e-9)
        assert change < 0.02


def test_sources_say_where_each_value_came_from(census):
    masked, sources, _ = shuffle_columns(census, np.random.default_rng(0))
    assert (np.take_along_axis(census, sources, axis=0) == masked).all()
    assert (np.sort(sources, axis=0) == np.arange(len(census))[:, None]).all()


def test_records_keep_nothing_of_their_own_values_when_no_column_stays(census):
    masked, *_ = shuffle_columns(census, np.random.default_rng(0))
    own = [stats.spearmanr(census[:, j], masked[:, j]).statistic for j in range(13)]
    assert np.abs(own).mean() < 0.05


def test_columns_that_stay_keep_their_rank_correlations_with_those_that_move(census):
    given, moving = census[:, :4], census[:, 4:]
    masked, _, gap = shuffle_columns(moving, np.random.default_rng(1), given)
    before = stats.spearmanr(np.column_stack([moving, given])).statistic
    after = stats.spearmanr(np.column_stack([masked, given])).statistic
    assert np.abs(after - before).max() == pytest.approx(gap, abs=1e-9)
    assert gap < 0.02


def test_columns_full_of_zeros_keep_their_rank_correlations_within_two_hundredths():
    related = np.array([[1.0, 0.9, 0.5, -0.3], [0.9, 1, 0.6, -0.2], [0.5, 0.6, 1, 0.1], [-0.3, -0.2, 0.1, 1]])
    for seed in range(10):
        rng = np.random.default_rng(seed)
        drawn = rng.multivariate_normal(np.zeros(4), related, 1000)
        amounts = np.where(drawn < 1.2, 0.0, np.exp(drawn))  # nine zeros in ten
        masked, *_ = shuffle_columns(amounts[:, :2], rng, amounts[:, 2:])
        before, after = (
            stats.spearmanr(np.column_stack([part, amounts[:, 2:]])).statistic for part in (amounts[:, :2], masked)
        )
        assert np.abs(after - before).max() < 0.02


def test_the_published_method_is_unbiased_on_a_normal_file():
    rng = np.random.default_rng(2)
    records = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], size=2000)
    gaps = [shuffle_columns(records, rng, rounds=0).gap for _ in range(5)]
    assert np.mean(gaps) < 0.01


def test_missing_values_stay_missing_and_take_no_part(census):
    records = census[:, :3].copy()
    records[::7, 1] = np.nan
    masked, _, gap = shuffle_columns(records, np.random.default_rng(3))
    assert (np.isnan(masked) == np.isnan(records)).all()
    assert (np.sort(masked[:, 1]) == np.sort(records[:, 1]))[: 1080 - 155].all()
    assert gap < 0.02


def test_mid_ranks_are_those_of_scipy_and_scores_those_of_the_normal_law():
    values = np.array([3.0, 1.0, 3.0, 2.0])
    np.testing.assert_array_equal(mid_ranks(values[:, None])[:, 0], stats.rankdata(values))
    scores = normal_scores(np.array([5.0, np.nan, 1.0]), np.random.default_rng(0))
    np.testing.assert_allclose(scores, [stats.norm.ppf(0.75), 0, stats.norm.ppf(0.25)])


def test_constant_columns_do_no_harm_and_short_files_are_refused():
    records = np.column_stack([np.ones(30), np.arange(30.0)])
    masked, *_ = shuffle_columns(records, np.random.default_rng(0))
    assert (masked[:, 0] == 1).all()
    with pytest.raises(ValueError, match="more records than columns"):
        shuffle_columns(np.ones((2, 3)), np.random.default_rng(0))
