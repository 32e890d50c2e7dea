from __future__ import annotations

import numpy as np
import pytest

from ammg.kernels.pram.misclassification import (
    approximate_misclassified_risk,
    misclassified_risk,
    stay_probability,
)


def random_matrix(rng, size, stay=0.8):
    matrix = rng.random((size, size))
    np.fill_diagonal(matrix, 0)
    matrix *= (1 - stay) / matrix.sum(axis=0)
    return matrix + stay * np.eye(size)


@pytest.fixture
def two_keys():
    rng = np.random.default_rng(2)
    population = rng.integers(0, 40, (4, 3)).astype(float)
    population[1, 2] = 0
    return population, [random_matrix(rng, 4), random_matrix(rng, 3)]


@pytest.mark.parametrize("fraction", [0.01, 0.3, 0.95])
def test_axis_by_axis_is_the_formula_with_the_whole_matrix(two_keys, fraction):
    population, matrices = two_keys
    whole = np.kron(*matrices)
    odds = whole / (1 - fraction * whole)
    expected = np.diagonal(odds) / (odds @ population.ravel()) * (population.ravel() > 0)
    assert np.allclose(misclassified_risk(population, matrices, fraction).ravel(), expected)
    approximate = np.diagonal(whole) / (whole @ population.ravel()) * (population.ravel() > 0)
    assert np.allclose(approximate_misclassified_risk(population, matrices).ravel(), approximate)


def test_the_exact_formula_is_what_happens():
    """Sample, misclassify, and look at the uniques: how often is the unique really from the cell it is shown in?"""
    rng = np.random.default_rng(5)
    population, fraction = np.array([3, 5, 8, 12, 20, 40]), 0.08
    matrix = random_matrix(rng, 6)
    units = np.repeat(np.arange(6), population)
    bounds = np.cumsum(matrix, axis=0)
    right, seen = np.zeros(6), np.zeros(6)
    for _ in range(60):
        sampled = rng.random((2_000, units.size)) < fraction
        shown = (rng.random((2_000, units.size))[..., None] > bounds.T[units][None]).sum(2)
        for k in range(6):
            here = sampled & (shown == k)
            alone = here.sum(1) == 1
            seen[k] += alone.sum()
            right[k] += (here[alone] & (units == k)).sum()
    # the intruder picks one of the F_k units that are truly in k
    assert misclassified_risk(population.astype(float), [matrix], fraction) == pytest.approx(
        right / seen / population, rel=0.03
    )


@pytest.mark.parametrize("fraction", [0.0, 0.1, 1.0])
def test_without_misclassification_the_risk_is_one_over_the_population(fraction):
    population = np.array([[1.0, 4.0], [0.0, 5.0]])
    expected = [[1, 1 / 4], [0, 1 / 5]]
    assert np.allclose(misclassified_risk(population, [np.eye(2), None], fraction), expected)
    assert np.allclose(approximate_misclassified_risk(population, [None, None]), expected)


def test_misclassification_never_raises_the_risk(two_keys):
    population, matrices = two_keys
    risk = misclassified_risk(population, matrices, 0.1)
    assert np.all(risk[population > 0] <= 1 / population[population > 0] + 1e-12)


def test_the_chance_that_a_record_is_itself():
    matrix = np.array([[0.9, 0.2], [0.1, 0.8]])
    codes = [np.array([0, 1, -1], np.int32), np.array([1, 1, 0], np.int32)]
    assert stay_probability(codes, [matrix, None]).tolist() == pytest.approx([0.9, 0.8, 1.0])
    assert stay_probability(codes, [matrix, matrix]).tolist() == pytest.approx([0.72, 0.64, 0.9])


def test_matrices_that_do_not_fit_are_refused():
    population = np.ones((2, 3))
    with pytest.raises(ValueError, match="There are 2 keys but 1 matrices"):
        misclassified_risk(population, [None], 0.1)
    with pytest.raises(ValueError, match="Key 1 has 3 categories"):
        misclassified_risk(population, [None, np.eye(2)], 0.1)
    with pytest.raises(ValueError, match="sum to 1"):
        misclassified_risk(population, [np.full((2, 2), 0.6), None], 0.1)
    with pytest.raises(ValueError, match="sampling fraction"):
        misclassified_risk(population, [None, None], 1.1)
