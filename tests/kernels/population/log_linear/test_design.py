from __future__ import annotations

import numpy as np
import pytest

from ammg.kernels.population.log_linear.design import design
from ammg.kernels.population.log_linear.layout import Layout

SHAPE = (3, 4, 2)
GENERATORS = ((0, 1), (1, 2))


@pytest.fixture
def means():
    table = np.random.default_rng(5).random(SHAPE) + 0.1
    table[1, 2, :] = 0  # a combination that does not occur, and with it redundant columns
    table[0, 2, :] = 0
    return Layout(SHAPE).flatten(table)


@pytest.fixture
def explicit():
    """Indicators of all margins of the generators: they span the same space as the dummies."""
    layout = Layout(SHAPE)
    grid = layout.coordinates(np.arange(layout.size))
    pairs = [grid[a] * SHAPE[b] + grid[b] for a, b in GENERATORS]
    return np.concatenate([np.eye(code.max() + 1)[code] for code in pairs], axis=1)


def test_leverages_are_the_diagonal_of_the_hat_matrix(means, explicit):
    found = design(Layout(SHAPE), GENERATORS, means).leverages(means)
    inverse = np.linalg.pinv(explicit.T @ (means[:, None] * explicit))
    expected = means * np.einsum("ki,ij,kj->k", explicit, inverse, explicit)
    assert np.allclose(found, expected, atol=1e-9)


def test_leverages_add_up_to_the_parameters(means, explicit):
    prepared = design(Layout(SHAPE), GENERATORS, means)
    rank = np.linalg.matrix_rank(explicit[means > 0])
    assert prepared.inverse.shape[0] == rank
    assert prepared.leverages(means).sum() == pytest.approx(rank)


def test_regression_on_the_design_is_weighted_least_squares(means, explicit):
    prepared = design(Layout(SHAPE), GENERATORS, means)
    values = np.random.default_rng(6).random(means.size)
    found = prepared.expand(prepared.inverse @ prepared.project(means * values))
    root = np.sqrt(means)
    expected = explicit @ np.linalg.lstsq(root[:, None] * explicit, root * values, rcond=None)[0]
    assert np.allclose(found[means > 0], expected[means > 0])
