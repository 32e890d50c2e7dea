import numpy as np
import pytest
from columns_beside import loss_by
from scipy.stats import norm

import ammg


def test_a_shifted_mean_loses_the_chance_of_a_smaller_shift() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=400)
    shift = 1.3 * x.std() / 20  # 1.3 standard errors of the mean
    found = loss_by(ammg.PIL(), [x], [x + shift])
    assert found.facts["means"] == pytest.approx(2 * (norm.cdf(1.3) - 0.5))
    assert found.facts["variances"] == pytest.approx(0, abs=1e-12)


def test_losses_of_samples_are_uniform_between_zero_and_one() -> None:
    # A file drawn from the original as from a population differs by chance alone: every value is equally likely.
    rng = np.random.default_rng(2)
    population = rng.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], size=2000)
    drawn = [population[rng.integers(0, 2000, 2000)] for _ in range(60)]
    found = [loss_by(ammg.PIL(), list(population.T), list(sample.T)).facts for sample in drawn]
    for kind in ("quantiles", "means", "variances", "covariances", "correlations"):
        assert np.mean([facts[kind] for facts in found]) == pytest.approx(0.5, abs=0.13)


def test_a_statistic_that_the_release_does_not_have_is_charged_one() -> None:
    x, y = [1.0, 2, 4, 8], [3.0, 1, 5, 2]
    found = loss_by(ammg.PIL(), [x, y], [x, [None] * 4])
    assert found.by_column == {"x0": 0, "x1": 1}
    assert found.facts["correlations"] == 1


def test_constants_have_no_such_loss() -> None:
    assert loss_by(ammg.PIL(), [[2, 2]], [[3, 3]]).reason == "no numeric attribute varies"


def test_released_constants_are_uncorrelated_whatever_their_value() -> None:
    """In sums of 0.1, rounding must not make two constants correlate."""
    before = np.random.default_rng(5).multivariate_normal([0, 0], [[1, 0.2], [0.2, 1]], 117).T
    zero, tenth = (
        loss_by(ammg.ProbabilisticInformationLoss(), list(before), [np.full(117, value)] * 2) for value in (0.0, 0.1)
    )
    assert zero.facts["correlations"] == tenth.facts["correlations"] < 1
