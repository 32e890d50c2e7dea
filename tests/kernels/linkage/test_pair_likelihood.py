from __future__ import annotations

import numpy as np
import pytest

from ammg.kernels.linkage.pair_likelihood import (
    columns_likelihood,
    draws_likelihood,
    hit_chance,
    record_law,
    records_likelihood,
    top_chance,
)
from ammg.kernels.linkage.replay_law import column_laws, known_law


def test_columns_multiply_their_densities():
    quantiles = np.random.default_rng(0).normal(size=400_000)
    people, shown = np.array([0.0, 1.0, 5.0]), np.array([0.0, 1.5])
    laws = [known_law(shown, people, 1.0, quantiles), known_law(shown, people, 2.0, quantiles)]
    total = columns_likelihood(laws, (2, 3))
    gap = shown[:, None] - people
    exact = -0.5 * gap**2 - 0.5 * (gap / 2) ** 2
    assert (total - total[:, :1])[:, 1] == pytest.approx((exact - exact[:, :1])[:, 1], abs=0.15)


def test_columns_that_hang_together_find_more_together():
    rng = np.random.default_rng(1)
    own = rng.normal(size=(200, 2))
    common = rng.normal(size=(31, 200, 1))
    draws = own + 0.7 * common + 0.02 * rng.normal(size=(31, 200, 2))
    laws = [column_laws(own[:, c], draws[:-1, :, c], draws[-1, :, c])["values pooled"] for c in (0, 1)]
    apart, together = columns_likelihood(laws, (200, 200)), records_likelihood(laws, record_law(laws))
    found = [(values.argmax(axis=1) == np.arange(200)).mean() for values in (apart, together)]
    assert found[1] > found[0] + 0.1


def test_draws_are_centres_of_kernels():
    draws = np.array([[[0.0], [4.0]], [[1.0], [4.0]]])
    total = draws_likelihood(draws, np.array([[1.0], [4.0]]), 0.1)
    assert total.argmax(axis=1).tolist() == [0, 1]
    assert total[0, 0] == pytest.approx(np.log(0.5))


def test_equally_likely_people_share_the_chance():
    likelihood = np.array([[0.0, 0.0, -5.0], [-3.0, 0.0, 0.0]])
    assert hit_chance(likelihood, np.array([0, 0])).tolist() == [0.5, 0.0]
    assert top_chance(likelihood)[0] == pytest.approx(1 / (2 + np.exp(-5)))
