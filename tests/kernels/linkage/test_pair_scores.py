from __future__ import annotations

import numpy as np
import pytest

from ammg.kernels.linkage.comparison import FieldWeights, compare
from ammg.kernels.linkage.field_weights import equal_weights, value_specific_weights
from ammg.kernels.linkage.pair_scores import best_candidates, count_scores, score_all, score_pairs

METRICS = ["d", "l", "equal"]


@pytest.fixture
def files():
    rng = np.random.default_rng(7)
    original = np.round(rng.lognormal(2, 1, (130, 3)) * (rng.random((130, 3)) > 0.3))
    masked = original[rng.integers(0, 130, 90)] + np.round(rng.normal(0, 0.7, (90, 3)))
    original[4, 1] = masked[8, 0] = np.nan
    return original, masked


def by_definition(original, masked, weights, t):
    """Weights pair by pair from the formulas of Yancey, Winkler and Creecy (2002), missing fields adding nothing."""
    a, b = original[None], masked[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        d = np.abs(a - b) / np.maximum(np.abs(a), 0.1)
        logs = np.abs(np.log(np.abs(a)) - np.log(np.abs(b))) / np.maximum(np.abs(np.log(np.abs(a))), 0.1)
    logs = np.where(np.sign(a) != np.sign(b), 9.0, np.where(a == 0, 0.0, logs))
    q = np.stack([d[..., 0], logs[..., 1], 9.0 * (a != b)[..., 2]], axis=-1)
    agree, disagree = weights
    line = np.maximum(agree - (agree - disagree) * q / t, disagree)
    return np.where(np.isnan(a + b), 0.0, line).sum(axis=-1)


def test_scores_follow_the_published_formula(files):
    weights = FieldWeights(np.array([2.0, 1.5, 3.0]), np.array([-2.0, -1.0, -0.5]))
    scores = score_all(compare(*files, METRICS, 0.2), weights)
    assert np.allclose(scores, by_definition(*files, weights, 0.2))


def test_scores_of_given_pairs_are_those_of_the_matrix(files):
    comparison = compare(*files, METRICS)
    weights = value_specific_weights(comparison)
    original, masked = np.array([0, 5, 4, 129]), np.array([3, 8, 8, 89])
    scores = score_all(comparison, weights)
    assert np.allclose(score_pairs(comparison, weights, original, masked), scores[masked, original])


@pytest.mark.parametrize("priced", [False, True])
def test_candidates_are_the_best_of_all_pairs(files, priced):
    comparison = compare(*files, METRICS)
    weights = equal_weights(3)
    prices = np.random.default_rng(0).random(130) if priced else np.zeros(130)
    scores = score_all(comparison, weights)
    found = best_candidates(comparison, weights, 12, prices)
    values = np.take_along_axis(scores - prices, found.original, axis=1)
    assert np.allclose(np.take_along_axis(scores, found.original, axis=1), found.weight)
    assert np.allclose(values, -np.sort(prices - scores, axis=1)[:, :12])
    assert all(len(set(row)) == 12 for row in found.original.tolist())


def test_equal_records_do_not_all_name_the_same_candidates():
    zeros = np.zeros((2000, 2))
    found = best_candidates(compare(zeros, zeros, ["d", "d"]), equal_weights(2), 10)
    assert len(np.unique(found.original)) > 1900


def test_no_more_candidates_than_originals():
    comparison = compare(np.ones((3, 1)), np.ones((5, 1)), ["d"])
    assert best_candidates(comparison, equal_weights(1), 10).original.shape == (5, 3)


def test_counts_of_scores_are_those_of_the_matrix(files):
    comparison = compare(*files, METRICS)
    for weights in (equal_weights(3), value_specific_weights(comparison)):
        scores = score_all(comparison, weights)
        edges = np.linspace(scores.min() - 0.1, scores.max() + 0.1, 38)
        expected = np.histogram(-scores, -edges[::-1])[0][::-1]  # bins hold their upper edge
        assert np.array_equal(count_scores(comparison, weights, edges), expected)
