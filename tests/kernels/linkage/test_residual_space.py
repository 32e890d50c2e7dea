from __future__ import annotations

import numpy as np

from ammg.kernels.linkage.nearest import nearest_credit
from ammg.kernels.linkage.residual_space import damped, logarithmic, normal_scores, residual_space
from ammg.kernels.spaces import standardised

TRUTH = np.arange(500)


def linked(space):
    return nearest_credit(space.original, space.masked, TRUTH).mean()


def test_residuals_of_true_pairs_are_white():
    rng = np.random.default_rng(0)
    original = rng.normal(size=(500, 3))
    masked = 0.5 * original + rng.normal(size=(500, 3)) @ np.array([[1, 0.9, 0], [0, 0.2, 0], [0, 0, 3]])
    space = residual_space(original, masked, TRUTH)
    assert np.allclose(np.cov((space.masked - space.original).T), np.eye(3), atol=1e-6)


def test_a_rescaled_and_shifted_release_is_linked_fully():
    original = np.random.default_rng(1).normal(size=(500, 4))
    assert linked(residual_space(original, 3 - 0.01 * original, TRUTH)) == 1


def test_an_untouched_column_outweighs_noisy_ones():
    rng = np.random.default_rng(2)
    original = rng.normal(size=(500, 4))
    masked = original + [5, 5, 5, 0] * rng.normal(size=(500, 4))
    assert linked(residual_space(original, masked, TRUTH)) == 1
    assert linked(standardised(original, masked)) < 0.2


def test_only_true_pairs_teach_and_missing_values_are_no_obstacle():
    rng = np.random.default_rng(3)
    original = rng.normal(size=(500, 3))
    masked = np.concatenate([original + 0.01 * rng.normal(size=(500, 3)), 100 + rng.normal(size=(50, 3))])
    masked[::7, 1] = np.nan
    origin = np.concatenate([TRUTH, np.full(50, -1)])
    space = residual_space(original, masked, origin)
    assert np.isfinite(space.masked).all()
    assert nearest_credit(space.original, space.masked, origin)[:500].mean() > 0.5


def test_without_true_pairs_the_files_are_standardised():
    original = np.array([[0.0], [2.0], [4.0]])
    assert residual_space(original, original, np.full(3, -1)).original.ravel().tolist() == [-1, 0, 1]


def test_pseudo_pairs_draw_the_prediction_towards_the_values_as_they_are():
    rng = np.random.default_rng(4)
    original = rng.normal(size=(500, 2))
    halved = 0.5 * original + 0.1 * rng.normal(size=(500, 2))
    few = np.where(TRUTH < 20, TRUTH, -1)
    learned, cautious = (residual_space(original, halved, few, pseudo_pairs=pairs) for pairs in (0.0, 1e6))
    assert linked(learned) > linked(cautious)
    kept = residual_space(original, original + 0.1 * rng.normal(size=(500, 2)), few, pseudo_pairs=1e6)
    assert np.allclose(np.cov((kept.masked - kept.original).T), np.eye(2), atol=0.9)


def test_normal_scores_are_those_of_ranks_and_ties_share_one():
    values = np.array([[10.0], [30.0], [20.0], [20.0], [np.nan]])
    scores = normal_scores(values, 5 - values)
    assert np.allclose(scores[0].ravel(), [-1.1503, 1.1503, 0, 0, np.nan], atol=1e-4, equal_nan=True)
    assert np.allclose(scores[1], -scores[0], equal_nan=True)


def test_drawn_in_values_are_linear_near_the_centre_and_logarithmic_far_from_it():
    values = np.random.default_rng(5).normal(size=(20_001, 1))
    far = np.array([[1e6], [1e9], [-1e9]])
    for scale in (damped, logarithmic):
        drawn = scale(values, far)[1].ravel()
        assert np.isclose(drawn[1] - drawn[0], np.log(1000), atol=1e-4)
        assert np.isclose(drawn[2], -drawn[1], atol=1e-4)
    near = damped(values, np.array([[0.0], [0.1]]))[1].ravel()
    assert np.isclose(near[1] - near[0], 0.1, rtol=0.03)
