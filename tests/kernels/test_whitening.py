from __future__ import annotations

import numpy as np
import pytest

from ammg.kernels.whitening import orthonormal_scores, remove_scores, whiten


def weighted_cov(columns: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    return np.atleast_2d(np.cov(columns, rowvar=False, aweights=weights))


@pytest.mark.parametrize("weighted", [False, True])
def test_scores_rebuild_the_file_and_are_orthonormal(census, weighted):
    weights = np.random.default_rng(0).uniform(0.5, 3, len(census)) if weighted else None
    scores = orthonormal_scores(census, weights)
    assert scores.rank == 12
    np.testing.assert_allclose(weighted_cov(scores.unit, weights), np.eye(12), atol=1e-9)
    np.testing.assert_allclose(scores.mean + scores.unit @ scores.loading, census, rtol=0, atol=1e-6)


def test_whitened_variates_have_exact_moments_and_stay_near():
    variates = np.random.default_rng(1).normal(size=(2000, 4))
    white = whiten(variates)
    np.testing.assert_allclose(white.mean(axis=0), 0, atol=1e-14)
    np.testing.assert_allclose(np.cov(white, rowvar=False), np.eye(4), atol=1e-13)
    assert np.abs(white - variates).max() < 0.3


def test_what_is_left_does_not_correlate_with_the_file(census):
    variates = np.random.default_rng(2).normal(size=(len(census), 3))
    left = remove_scores(variates, orthonormal_scores(census))
    both = np.corrcoef(np.column_stack([census, left]), rowvar=False)
    assert np.abs(both[:13, 13:]).max() < 1e-12


def test_too_few_records_and_missing_values_are_refused():
    with pytest.raises(ValueError, match="are too few for"):
        whiten(np.random.default_rng(0).normal(size=(4, 4)))
    with pytest.raises(ValueError, match="at least two"):
        whiten(np.ones((1, 1)))
    with pytest.raises(ValueError, match="complete records"):
        orthonormal_scores(np.array([[1.0], [np.nan], [2.0]]))


def test_a_file_of_constants_has_rank_zero():
    scores = orthonormal_scores(np.full((10, 2), 0.1))
    assert scores.rank == 0
