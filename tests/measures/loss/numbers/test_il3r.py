import numpy as np
import pytest
from columns_beside import loss_by

import ammg

X, Y = np.array([1.0, 2, 4, 8]), np.array([3.0, 1, 5, 2])


def test_il3r_is_the_robust_fact_of_il3() -> None:
    before, after = [X, Y], [2 * X, Y]
    assert loss_by(ammg.IL3r(), before, after).value == pytest.approx(loss_by(ammg.IL3(), before, after).facts["il3r"])


def test_changes_are_divided_by_standard_deviations() -> None:
    r = np.corrcoef(X, Y)[0, 1]
    assert loss_by(ammg.IL3r(), [X, Y], [2 * X, Y]).value == pytest.approx((3 + abs(r) + 0) / 3)


def test_a_covariance_that_the_release_does_not_have_counts_as_zero() -> None:
    r = np.corrcoef(X, Y)[0, 1]
    assert loss_by(ammg.IL3r(), [X, Y], [[None] * 4, Y]).value == pytest.approx((1 + abs(r) + 0) / 3)
