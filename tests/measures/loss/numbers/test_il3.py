import numpy as np
import pytest
from columns_beside import Columns, loss_by

import ammg


def loss(before: Columns, after: Columns, **options: object) -> ammg.Measurement:
    return loss_by(ammg.IL3(**options), before, after)


def test_variances_and_covariances_are_compared_relatively() -> None:
    x, y = np.array([1.0, 2, 4, 8]), np.array([3.0, 1, 5, 2])
    # Doubling x multiplies its variance by 4 and its covariance by 2.
    assert loss([x, y], [2 * x, y]).value == pytest.approx((3 + 1 + 0) / 3)


def test_covariances_near_zero_have_a_robust_companion() -> None:
    x, y = np.array([1.0, 2, 4, 8]), np.array([3.0, 1, 5, 2])
    before, after = np.cov(x, y), np.cov(2 * x, y)
    robust = np.abs(after - before) / np.sqrt(np.outer(np.diag(before), np.diag(before)))
    assert loss([x, y], [2 * x, y]).facts["il3r"] == pytest.approx(robust[np.tril_indices(2)].mean())


def test_entries_that_the_release_does_not_have_are_charged_one() -> None:
    assert loss([[1, 2, 4], [3, 1, 5]], [[None] * 3, [3, 1, 5]]).value == pytest.approx(2 / 3)
