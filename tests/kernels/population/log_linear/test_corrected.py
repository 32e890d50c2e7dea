from __future__ import annotations

import numpy as np
import pytest

from ammg.kernels.population.log_linear.adjusted import adjusted_goodness
from ammg.kernels.population.log_linear.corrected import corrected_goodness, prepare_design
from ammg.kernels.population.log_linear.intervals import uncertainty
from ammg.kernels.population.log_linear.model import fit_risk_model
from ammg.kernels.population.log_linear.sample import table_sample

FRACTION = 0.05


@pytest.fixture(scope="module")
def replicates(truth):
    """Eighty populations of 30,000 from the law, a sample of each, and the right model fitted to it."""
    layout, generators, law = truth
    rng = np.random.default_rng(21)
    found = []
    for _ in range(80):
        population = rng.poisson(30_000 * law)
        shown = rng.binomial(population, FRACTION)
        codes = layout.coordinates(np.repeat(np.arange(layout.size), shown))
        sample = table_sample(layout, codes, FRACTION)
        unique = population[sample.cells[sample.uniques]]
        model = fit_risk_model(sample, generators)
        found.append((model, prepare_design(model), np.count_nonzero(unique == 1), np.sum(1 / unique)))
    return found


@pytest.mark.proof
@pytest.mark.parametrize("tau", [1, 2])
def test_the_corrected_statistic_is_centred_when_the_model_is_right(replicates, tau):
    z = np.array([corrected_goodness(model, tau, prepared).z for model, prepared, _, _ in replicates])
    slide = np.array([model.goodness(tau).z for model, _, _, _ in replicates])
    assert abs(z.mean()) < 0.2
    assert 0.7 < z.std() < 1.1
    assert slide.mean() < -0.3


@pytest.mark.proof
@pytest.mark.parametrize("tau", [1, 2])
def test_a_model_that_lacks_interactions_is_found_out(replicates, tau):
    layout = replicates[0][0].sample.layout
    poor = [fit_risk_model(model.sample, [(a,) for a in range(5)]) for model, _, _, _ in replicates[:10]]
    assert np.mean([corrected_goodness(model, tau).z for model in poor]) > 2
    assert layout.size == 3840


@pytest.mark.proof
@pytest.mark.parametrize("tau", [1, 2])
def test_intervals_with_estimation_error_cover_the_truth_more_often(replicates, tau):
    covered = {True: 0, False: 0}
    for model, prepared, tau1, tau2 in replicates:
        found = uncertainty(model, tau, prepared)
        for with_estimation in covered:
            low, high = found.interval(0.95, with_estimation)
            covered[with_estimation] += low <= (tau1 if tau == 1 else tau2) <= high
    assert covered[True] > covered[False]
    assert covered[True] >= 0.85 * len(replicates)


@pytest.mark.parametrize("tau", [1, 2])
def test_the_cheap_correction_is_exact_in_a_decomposable_model(replicates, tau):
    model, prepared, _, _ = replicates[0]
    assert adjusted_goodness(model, tau).bias == pytest.approx(corrected_goodness(model, tau, prepared).bias, rel=1e-6)


def test_estimates_are_near_the_truth_when_the_model_is_right(replicates):
    for tau, place in [(1, 2), (2, 3)]:
        estimates = np.array([found[0].tau(tau) for found in replicates])
        true = np.array([found[place] for found in replicates])
        assert estimates.mean() == pytest.approx(true.mean(), rel=0.1)
