from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from ammg.kernels.noise.mixture_patterns import pattern_likelihood, pattern_space
from ammg.kernels.noise.noise_posterior import Mixture

LAW = Mixture(np.array([0.5, 0.5]), np.sqrt(0.975) * np.array([-1.0, 1.0]), 0.025)


@pytest.mark.parametrize("known", [5, 3])
def test_the_likelihood_is_the_sum_over_all_sign_patterns(known):
    rng = np.random.default_rng(known)
    factor = rng.normal(size=(5, 5))[:known]
    original = rng.normal(size=(40, known))
    signs = rng.choice([-1.0, 1.0], (40, 5)) * np.sqrt(0.975)
    masked = original + (signs + np.sqrt(0.025) * rng.normal(size=(40, 5))) @ factor.T
    found = pattern_likelihood(pattern_space(original, masked, factor, np.zeros(known), LAW), LAW, np.arange(40))
    inner = 0.025 * factor @ factor.T
    law = [(factor @ np.array(s) * np.sqrt(0.975), 2.0**-5) for s in product([-1.0, 1.0], repeat=5)]
    for i in range(40):
        gaps = masked[i] - original
        exact = logsumexp(
            [np.log(share) + multivariate_normal(mean, inner).logpdf(gaps) for mean, share in law], axis=0
        )
        likely = exact > exact.max() - 15
        assert np.argmax(found[i]) == np.argmax(exact)
        assert (found[i] - found[i].max())[likely] == pytest.approx((exact - exact.max())[likely], abs=1e-6)


def test_three_components_are_patterns_too():
    rng = np.random.default_rng(1)
    law = Mixture(np.full(3, 1 / 3), np.array([-1.2, 0.0, 1.2]), 1 - 2 * 1.2**2 / 3)
    original = rng.normal(size=(100, 2))
    masked = original + 0.2 * (rng.choice(law.means, (100, 2)) + np.sqrt(law.variance) * rng.normal(size=(100, 2)))
    space = pattern_space(original, masked, 0.2 * np.eye(2), np.zeros(2), law)
    found = pattern_likelihood(space, law, np.arange(100))
    assert (found.argmax(axis=1) == np.arange(100)).mean() > 0.3
