from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.special import gammaln

from ammg.kernels.population.population_uniques import (
    ClassSizes,
    class_sizes,
    dankar_uniques,
    pitman_parameters,
    pitman_uniques,
    shlosser_classes,
    snb_uniques,
    zayatz_uniques,
)


@pytest.fixture(scope="module")
def arx(shared):
    """Estimates of ARX 3.9.2 on adult at five sampling fractions."""
    entries = json.loads((shared / "golden" / "arx_adult.json").read_text())["entries"]
    estimates = next(entry for entry in entries if entry["mode"] == "risk")["estimates"]
    histogram = np.array(estimates[0]["class_size_histogram"], float)
    return [(ClassSizes(histogram[:, 0], histogram[:, 1], e["sampling_fraction"]), e) for e in estimates]


def test_zayatz_is_that_of_arx(arx):
    for sample, expected in arx:
        assert zayatz_uniques(sample) == pytest.approx(expected["ZAYATZ"]["num"], rel=1e-9)


def test_pitman_has_the_parameters_of_arx(arx):
    for sample, expected in arx:
        alpha, theta = pitman_parameters(sample)
        asymptotic = np.exp(gammaln(theta + 1) - gammaln(theta + alpha)) * sample.population**alpha
        assert asymptotic == pytest.approx(expected["PITMAN"]["num"], rel=1e-6)
        assert pitman_uniques(sample) == pytest.approx(expected["PITMAN"]["num"], rel=5e-3)


def test_the_decision_rule_takes_pitman_for_small_samples_and_the_smaller_estimate_for_large_ones(arx):
    for sample, expected in arx:
        value, model = dankar_uniques(sample)
        assert model == expected["dankar_model"].lower()
        assert value == pytest.approx(expected["DANKAR"]["num"], rel=5e-3)


def test_pitman_finds_the_uniques_of_a_population_that_follows_it():
    rng = np.random.default_rng(8)
    alpha, theta = 0.5, 200.0
    broken = rng.beta(1 - alpha, theta + alpha * np.arange(1, 200_001))
    weights = broken * np.exp(np.concatenate([[0], np.cumsum(np.log1p(-broken[:-1]))]))
    population = rng.choice(weights.size, 100_000, p=weights / weights.sum())
    true = np.count_nonzero(np.bincount(population) == 1)
    sample = rng.permutation(population)[:5_000]
    counts = np.bincount(sample)
    assert pitman_uniques(class_sizes(counts[counts > 0], 0.05)) == pytest.approx(true, rel=0.1)


def test_slide_negative_binomial_finds_the_uniques_of_a_population_that_follows_it():
    rng = np.random.default_rng(3)
    population = 1 + rng.negative_binomial(0.5, 0.02, 40_000)
    shown = rng.binomial(population, 0.5)
    estimate = snb_uniques(class_sizes(shown[shown > 0], 0.5))
    assert estimate == pytest.approx(np.count_nonzero(population == 1), rel=0.05)


@pytest.mark.parametrize("estimate", [pitman_uniques, zayatz_uniques, snb_uniques])
def test_a_file_without_uniques_has_none_in_the_population(estimate):
    assert estimate(class_sizes(np.array([2, 3, 9]), 0.1)) == 0


@pytest.mark.parametrize("estimate", [pitman_uniques, zayatz_uniques])
def test_a_file_of_uniques_speaks_for_a_population_of_uniques(estimate):
    assert estimate(class_sizes(np.ones(50, np.int64), 0.1)) == pytest.approx(500)


def test_a_census_has_the_uniques_it_shows():
    counts = np.random.default_rng(1).geometric(0.4, 5_000)
    sample = class_sizes(counts, 1.0)
    assert zayatz_uniques(sample) == pytest.approx(np.count_nonzero(counts == 1))
    assert shlosser_classes(sample) == pytest.approx(5_000)


def test_the_histogram_adds_up_to_the_sample():
    sample = class_sizes(np.array([1, 1, 4]), 0.5)
    assert (sample.records, sample.population, sample.uniques) == (6, 12, 2)


@pytest.mark.parametrize("fraction", [0.0, 1.01, float("nan")])
def test_a_sampling_fraction_outside_its_range_is_refused(fraction):
    with pytest.raises(ValueError, match="sampling fraction"):
        class_sizes(np.array([1]), fraction)
