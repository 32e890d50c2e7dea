import pytest
from columns_beside import Columns, loss_by

import ammg


def loss(before: Columns, after: Columns, **options: object) -> ammg.Measurement:
    return loss_by(ammg.IL5(**options), before, after)


def test_correlations_are_compared_absolutely() -> None:
    x, y, z = [1.0, 2, 3], [1.0, 2, 3], [3.0, 2, 1]
    assert loss([x, y, z], [x, z, z]).value == pytest.approx((2 + 0 + 2) / 3)


def test_a_correlation_that_the_release_does_not_have_counts_as_zero_there() -> None:
    assert loss([[1, 2, 3], [1, 2, 3]], [[1, 2, 3], [None] * 3]).value == pytest.approx(1)


def test_one_column_has_no_correlation() -> None:
    assert loss([[1, 2]], [[1, 3]]).reason == "a correlation needs two numeric attributes"
