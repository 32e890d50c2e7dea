from __future__ import annotations

import csv

import numpy as np
import pytest

from ammg.kernels.linkage.nearest import nearest_credit
from ammg.kernels.matching.nearest_assignment import assign_nearest
from ammg.kernels.noise.mixture_noise import mixture_variates
from ammg.kernels.noise.noise_posterior import NORMAL, Mixture, noise_posterior, uncolour
from ammg.kernels.psd import psd_factor
from ammg.kernels.spaces import whitened

TWO = Mixture(np.array([0.5, 0.5]), np.sqrt(0.975) * np.array([1.0, -1.0]), 0.025)
UNEVEN = Mixture(np.array([0.2, 0.8]), np.array([1.2, -0.3]), 0.3)


def by_definition(original, masked, law):
    gap = masked[:, None, :, None] - original[None, :, None, :].swapaxes(2, 3)
    density = (law.weights * np.exp(-0.5 * (gap - law.means) ** 2 / law.variance)).sum(axis=-1).prod(axis=-1)
    return density / density.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("law", [NORMAL, TWO, UNEVEN])
def test_posterior_is_that_of_all_pairs(law):
    rng = np.random.default_rng(0)
    original = rng.normal(size=(150, 3)) * 2
    original[::10] = original[0]
    origin = rng.integers(0, 150, 80)
    component = rng.choice(len(law.weights), (80, 3), p=law.weights)
    masked = original[origin] + law.means[component] + np.sqrt(law.variance) * rng.normal(size=(80, 3))
    expected = by_definition(original, masked, law)
    found = noise_posterior(original, masked, origin, law)
    truth = expected[np.arange(80), origin]
    assert np.allclose(found.truth, truth)
    assert np.allclose(found.largest, expected.max(axis=1))
    tied = np.isclose(expected, expected.max(axis=1, keepdims=True), rtol=1e-7)
    assert np.allclose(found.hit, tied[np.arange(80), origin] / tied.sum(axis=1))


def test_probabilities_are_calibrated():
    rng = np.random.default_rng(1)
    original = rng.normal(size=(2000, 2))
    masked = original + 0.05 * rng.normal(size=original.shape)
    found = noise_posterior(original / 0.05, masked / 0.05, np.arange(2000))
    assert found.hit.mean() == pytest.approx(found.largest.mean(), abs=0.04)
    assert 0.1 < found.hit.mean() < 0.9


def test_records_of_nobody_have_no_truth_but_a_guess():
    found = noise_posterior(np.array([[0.0], [9.0]]), np.array([[1.0]]), np.array([-1]))
    assert found.truth.tolist() == found.hit.tolist() == [0]
    assert found.largest[0] > 0.99


def test_uncolouring_gives_back_the_independent_noise_of_a_singular_factor():
    rng = np.random.default_rng(2)
    parts = rng.normal(size=(100, 2)) * [1, 1e5]
    original = np.column_stack([parts, parts.sum(axis=1), np.ones(100)])
    factor = psd_factor(np.cov(original.T))
    noise = rng.normal(size=(100, 4))
    before, after = uncolour(factor, original, original + noise @ factor.T)
    assert before.shape == (100, 2)
    assert np.allclose(after - before, noise[:, :2], atol=1e-6)


@pytest.mark.parametrize("row", ["add01", "add10", "mixadd10", "mixadd20"])
def test_mahalanobis_linkage_of_census_has_the_rates_of_the_prototype(census, shared, row):
    with (shared / "spec" / "targets" / "prototype_stronger_attacks_census.csv").open() as lines:
        target = next(line for line in csv.DictReader(lines) if line["masking"] == row)
    covariance, d = np.cov(census.T), float(row[-2:]) / 100
    truth = np.arange(1080)
    nearest, one_to_one, exact = [], [], []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        shape = census.shape
        variates = (
            mixture_variates(rng.random(shape), rng.normal(size=shape), TWO.means, TWO.weights, TWO.variance)
            if row.startswith("mix")
            else rng.normal(size=shape)
        )
        factor = np.sqrt(d) * psd_factor(covariance)
        masked = census + variates @ factor.T
        space = whitened(census, masked, covariance)
        nearest.append(nearest_credit(space.original, space.masked, truth).mean())
        one_to_one.append((assign_nearest(space.original, space.masked).links == truth).mean())
        law = TWO if row.startswith("mix") else NORMAL
        exact.append(noise_posterior(*uncolour(factor, census, masked), truth, law).hit.mean())
    for found, printed in ((nearest, float(target["reid_nearest"])), (one_to_one, float(target["reid_1to1"]))):
        assert np.mean(found) == pytest.approx(printed, abs=0.05 if 0.3 <= printed <= 0.95 else 0.02)
    assert np.mean(exact) >= np.mean(nearest) - 1e-9
    if row.startswith("mix"):  # the components stand so far apart that their law gives everybody away
        assert np.mean(exact) > 0.99
