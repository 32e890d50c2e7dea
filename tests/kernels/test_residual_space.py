from __future__ import annotations

import numpy as np

from ammg.kernels.nearest import nearest_credit
from ammg.kernels.residual_space import residual_space
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
