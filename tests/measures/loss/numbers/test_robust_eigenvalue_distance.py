import numpy as np
import pytest
from columns_beside import loss_by

import ammg

RNG = np.random.default_rng(1)
Z = RNG.normal(size=(4000, 3)) @ np.array([[2.0, 1, 0], [0, 1, 0.5], [0, 0, 1]])


def test_doubling_everything_quadruples_every_eigenvalue() -> None:
    assert loss_by(ammg.RobustEigenvalueDistance(), list(Z.T), list(2 * Z.T)).value == pytest.approx(9)


def test_outliers_hardly_change_it() -> None:
    outlying = Z.copy()
    outlying[:100] *= 100
    robust, plain = (
        loss_by(measure, list(Z.T), list(outlying.T)).value
        for measure in (ammg.RobustEigenvalueDistance(), ammg.IL3r())
    )
    assert robust < 0.3
    assert plain > 50


def test_it_estimates_the_covariance_of_normal_numbers() -> None:
    from ammg.kernels.loss.robust_covariance import robust_covariance

    assert robust_covariance(Z) == pytest.approx(np.cov(Z.T), rel=0.1, abs=0.1)


def test_mostly_equal_values_have_their_standard_deviation_and_constants_none() -> None:
    x, y = np.array([0.0, 0, 0, 5, 9]), np.array([1.0, 2, 3, 4, 5])
    assert loss_by(ammg.RobustEigenvalueDistance(), [x, y], [2 * x, y]).value > 0
    assert loss_by(ammg.RobustEigenvalueDistance(), [x * 0], [x]).reason == "no numeric attribute varies"
