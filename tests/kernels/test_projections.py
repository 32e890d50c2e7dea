import numpy as np
import pytest

from ammg.kernels.projections import first_component, sum_of_scores


def test_the_first_component_has_the_greatest_variance_of_all_directions():
    rng = np.random.default_rng(0)
    data = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 3))
    scores = first_component(data)
    assert scores.var() == pytest.approx(np.linalg.eigvalsh(np.cov(data.T, ddof=0))[-1], rel=1e-9)


def test_its_sign_follows_the_attribute_that_counts_most():
    data = np.random.default_rng(1).normal(size=(100, 2)) * [5.0, 1.0]
    assert np.corrcoef(first_component(data), data[:, 0])[0, 1] > 0.9
    assert np.corrcoef(first_component(-data), -data[:, 0])[0, 1] > 0.9


def test_the_sum_of_scores_is_the_sum():
    np.testing.assert_array_equal(sum_of_scores(np.array([[1.0, 2.0], [3.0, -3.0]])), [3.0, 0.0])
