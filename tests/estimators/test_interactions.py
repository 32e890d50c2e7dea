from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from ammg.errors import InputError
from ammg.estimators.interactions import add_products
from ammg.estimators.regression import corrected_regression

NOISE = np.array([[0.3, 0.1, 0.05], [0.1, 0.4, -0.1], [0.05, -0.1, 0.5]])
ROOT = np.linalg.cholesky(NOISE)


def simulate(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    x = rng.multivariate_normal([1, -0.5], [[1.0, 0.3], [0.3, 1.0]], size=n)
    y = 1 + 2 * x[:, 0] - x[:, 1] + 1.5 * x[:, 0] * x[:, 1] - 0.5 * x[:, 0] ** 2 + rng.normal(size=n)
    original = np.column_stack([x, y])
    return original, original + rng.normal(size=(n, 3)) @ ROOT.T


def test_moments_of_products_and_squares_are_those_of_the_original_columns():
    rng = np.random.default_rng(0)
    pairs = [(0, 1), (0, 0), (1, 2)]
    errors = []
    for _ in range(150):
        original, masked = simulate(800, rng)
        truth = np.column_stack([original, *(original[:, a] * original[:, b] for a, b in pairs)])
        estimate = add_products(masked, NOISE, pairs).moments
        errors.append(np.concatenate([(estimate.mean - truth.mean(axis=0)), (estimate.cov - np.cov(truth.T)).ravel()]))
    errors = np.array(errors)
    assert (np.abs(errors.mean(axis=0)) < 4.5 * errors.std(axis=0) / np.sqrt(150)).all()


def test_a_regression_with_interaction_and_square_finds_its_coefficients():
    _, masked = simulate(100_000, np.random.default_rng(1))
    columns = add_products(masked, NOISE, [(0, 1), (0, 0)])
    fit = corrected_regression(columns.values, columns.noise, 2, [0, 1, 3, 4])
    truth = np.array([1, 2, -1, 1.5, -0.5])
    assert (np.abs(fit.coefficients - truth) < 4 * fit.standard_errors).all()
    assert fit.standard_errors.max() < 0.1
    naive = np.column_stack([np.ones(len(masked)), columns.values[:, [0, 1, 3, 4]]])
    assert np.abs(np.linalg.lstsq(naive, masked[:, 2], rcond=None)[0] - truth).max() > 0.3


def test_no_pairs_add_nothing():
    masked = np.ones((4, 3))
    columns = add_products(masked, NOISE, [])
    assert columns.values.shape == (4, 3)
    assert (columns.noise == NOISE).all()


def test_products_are_named_as_columns_are_and_moments_are_those_of_complete_records():
    records = np.random.default_rng(1).normal(size=(50, 2))
    noise = 0.1 * np.eye(2)
    named = add_products(pl.DataFrame(records, schema=["a", "b"]), noise, [("a", "b")])
    np.testing.assert_array_equal(named.values, add_products(records, noise, [(0, 1)]).values)
    holes = records.copy()
    holes[3, 0] = np.nan
    found = add_products(holes, noise, [(0, 1)]).moments
    expected = add_products(np.delete(records, 3, axis=0), noise, [(0, 1)]).moments
    np.testing.assert_allclose(found.cov, expected.cov)


def test_products_of_products_are_refused():
    first = add_products(np.random.default_rng(0).normal(size=(3, 2)), 0.1 * np.eye(2), [(0, 1)])
    with pytest.raises(InputError, match=r"shape \(3, 3, 3\) but there are 3 columns"):
        add_products(first.values, first.noise, [(0, 2)])
