import pytest
from columns_beside import loss_by

import ammg


def test_median_deviations_are_compared_relatively() -> None:
    assert loss_by(ammg.MadDifference(), [[1, 2, 4, 8, 9]], [[2, 4, 8, 16, 18]]).value == pytest.approx(1)


def test_a_shift_changes_nothing() -> None:
    assert loss_by(ammg.MadDifference(), [[1, 2, 4, 8, 9]], [[11, 12, 14, 18, 19]]).value == pytest.approx(0)


def test_a_deviation_that_is_zero_is_no_denominator() -> None:
    assert loss_by(ammg.MadDifference(), [[0, 0, 0, 1]], [[0, 1, 2, 3]]).reason == "every denominator is zero"
