from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from ammg.kernels.linkage.agreement_patterns import AGREE, DISAGREE, MISSING, Patterns
from ammg.kernels.linkage.linkage_em import fit_latent_classes, is_plausible

M = np.array([0.95, 0.9, 0.85, 0.99, 0.8, 0.92])
U = np.array([0.02, 0.1, 0.3, 0.05, 0.15, 0.2])
N = 1000


def draw(pairs, m, missing, rng):
    """Patterns of pairs whose fields agree independently with probabilities m, and are missing at random."""
    states = np.array(list(product((DISAGREE, AGREE, MISSING), repeat=len(m))), dtype=np.int8)
    law = np.stack([(1 - missing) * (1 - m), (1 - missing) * m, np.full(len(m), missing)])
    return states, rng.multinomial(pairs, law[states, np.arange(len(m))].prod(axis=1))


def simulated(missing=0.0, seed=0):
    """N matches among N² pairs."""
    rng = np.random.default_rng(seed)
    states, matches = draw(N, M, missing, rng)
    counts = matches + draw(N * N - N, U, missing, rng)[1]
    return Patterns(states[counts > 0], counts[counts > 0])


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_em_recovers_the_probabilities_that_made_the_data(missing):
    fit = fit_latent_classes(simulated(missing), 1 / N)
    assert fit.converged
    assert np.abs(fit.m - M).max() < 0.04
    assert np.abs(fit.u - U).max() < 0.002
    assert fit.matches == pytest.approx(N, rel=0.1)
    assert is_plausible(fit, N, N)


def test_the_share_of_matches_is_found_when_it_is_free():
    fit = fit_latent_classes(simulated(), 5 / N, fixed_share=False)
    assert fit.share == pytest.approx(1 / N, rel=0.15)


def test_fixed_u_stays_at_the_overall_rates():
    patterns = simulated()
    fit = fit_latent_classes(patterns, 1 / N, fixed_u=True)
    assert fit.u == pytest.approx((patterns.counts @ patterns.states) / patterns.counts.sum())
    assert np.abs(fit.m - M).max() < 0.05


def test_likelihood_does_not_fall_with_more_iterations():
    patterns = simulated()
    reached = [fit_latent_classes(patterns, 1 / N, most_iterations=k).log_likelihood for k in (1, 2, 5, 20, 100)]
    assert reached == sorted(reached)


def test_a_class_larger_than_the_files_is_not_that_of_the_matches():
    rng = np.random.default_rng(1)
    states, similar = draw(
        N * N // 10, np.full(6, 0.8), 0.0, rng
    )  # a tenth of all pairs are alike, not the same person
    counts = similar + draw(N * N - N * N // 10, np.full(6, 0.1), 0.0, rng)[1]
    fit = fit_latent_classes(Patterns(states[counts > 0], counts[counts > 0]), 1 / N)
    assert not is_plausible(fit, N, N)


def test_classes_are_named_so_that_matches_agree_more():
    fit = fit_latent_classes(simulated(), 0.999, fixed_share=False)
    assert fit.m.mean() > fit.u.mean()
