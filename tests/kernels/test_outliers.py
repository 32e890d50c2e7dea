from __future__ import annotations

import numpy as np
import pytest

from ammg.kernels.outliers import find_outliers, robust_distances


def test_planted_outliers_are_found_though_they_shift_mean_and_covariance():
    rng = np.random.default_rng(0)
    bulk = rng.multivariate_normal([0, 0, 0], [[1, 0.8, 0], [0.8, 1, 0], [0, 0, 1]], size=800)
    planted = rng.normal([6, -6, 0], 0.3, size=(200, 3))
    marked = find_outliers(np.vstack([bulk, planted]))
    assert marked[800:].all()
    assert marked[:800].mean() < 0.06


def test_share_of_normal_records_marked_is_that_of_the_level():
    records = np.random.default_rng(1).normal(size=(20_000, 4)) * [1, 10, 0.1, 1e6]
    assert find_outliers(records, 0.975).mean() == pytest.approx(0.025, abs=0.005)


def test_linear_identities_constants_zeros_and_missing_values_do_no_harm(census):
    records = np.column_stack([census, np.full(len(census), 5.0)])
    records[3, 2] = np.nan
    squared, dimensions, _ = robust_distances(records)
    assert np.isfinite(squared).all()
    assert dimensions <= 13
    farthest = np.argsort(squared)[-100:]
    standard = np.abs((census - np.median(census, axis=0)) / census.std(axis=0)).max(axis=1)
    assert standard[farthest].mean() > 2 * standard.mean()


def test_a_file_of_constants_has_no_outliers():
    assert not find_outliers(np.ones((5, 2))).any()
    with pytest.raises(ValueError, match="probability"):
        find_outliers(np.ones((5, 2)), 1.0)
