from __future__ import annotations

import numpy as np
import pytest

from ammg.kernels.population.log_linear.ipf import fit_model, maximal, terms
from ammg.kernels.population.log_linear.layout import Layout

SHAPE = (3, 4, 2)


@pytest.fixture
def counts():
    return np.random.default_rng(4).poisson(6.0, SHAPE).astype(float)


def fit(table, generators, **options):
    layout = Layout(table.shape)
    flat = layout.flatten(table)
    cells = np.flatnonzero(flat)
    found = fit_model(layout, cells, flat[cells], generators, **options)
    return found, layout.unflatten(found.means)


def test_independence_is_the_product_of_the_margins(counts):
    _, means = fit(counts, [(0,), (1,), (2,)])
    n = counts.sum()
    a, b, c = counts.sum((1, 2)), counts.sum((0, 2)), counts.sum((0, 1))
    assert np.allclose(means, a[:, None, None] * b[:, None] * c / n**2)


def test_conditional_independence_has_its_closed_form(counts):
    _, means = fit(counts, [(0, 1), (1, 2)])
    expected = counts.sum(2)[:, :, None] * counts.sum(0)[None] / counts.sum((0, 2))[:, None]
    assert np.allclose(means, expected)


def test_the_saturated_model_returns_the_counts(counts):
    _, means = fit(counts, [(0, 1, 2)])
    assert np.allclose(means, counts)


def test_all_pairs_give_the_maximum_of_the_likelihood(counts):
    """Against Newton's method on the explicit design matrix."""
    found, means = fit(counts, [(0, 1), (0, 2), (1, 2)], tolerance=1e-12, most_cycles=1000)
    grid = np.indices(SHAPE).reshape(3, -1)
    dummies = [np.stack([grid[a] == level for level in range(1, SHAPE[a])]).astype(float) for a in range(3)]
    columns = [np.ones((1, grid.shape[1])), *dummies]
    columns += [
        (dummies[a][:, None] * dummies[b][None]).reshape(-1, grid.shape[1]) for a, b in [(0, 1), (0, 2), (1, 2)]
    ]
    x = np.concatenate(columns).T
    y = counts.ravel()
    beta = np.linalg.lstsq(x, np.log(y + 0.5), rcond=None)[0]
    for _ in range(50):
        mu = np.exp(x @ beta)
        beta += np.linalg.solve(x.T @ (mu[:, None] * x), x.T @ (y - mu))
    assert found.converged
    assert np.allclose(means.ravel(), np.exp(x @ beta), rtol=1e-8)


def test_a_warm_start_reaches_the_same_fit_sooner(counts):
    smaller, _ = fit(counts, [(0, 1), (2,)])
    cold, means = fit(counts, [(0, 1), (0, 2), (1, 2)], tolerance=1e-9)
    warm, again = fit(counts, [(0, 1), (0, 2), (1, 2)], start=smaller.means, tolerance=1e-9)
    assert np.allclose(means, again, atol=1e-6)
    assert warm.cycles <= cold.cycles


def test_empty_margins_are_fitted_as_zero(counts):
    counts[1, 2, :] = 0
    _, means = fit(counts, [(0, 1), (1, 2)])
    assert np.all(means[1, 2] == 0)


def test_structural_zeros_stay_zero(counts):
    counts[0, 0, 0] = 0
    start = np.ones(SHAPE)
    start[0, 0, 0] = 0
    found, means = fit(counts, [(0, 1), (0, 2), (1, 2)], start=Layout(SHAPE).flatten(start))
    assert means[0, 0, 0] == 0
    assert found.converged
    assert np.allclose(means.sum(0), counts.sum(0), atol=1e-3)


def test_records_in_impossible_cells_are_refused(counts):
    with pytest.raises(ValueError, match="declared impossible"):
        fit(counts + 1, [(0,), (1,), (2,)], start=np.zeros(counts.size))


def test_generators_inside_others_are_dropped():
    assert maximal([(0,), (1, 0), (2,), (1,)]) == ((2,), (0, 1))
    assert terms(((2,), (0, 1))) == [(), (0,), (1,), (2,), (0, 1)]
