import pytest
from columns_beside import Columns, loss_by

import ammg


def loss(before: Columns, after: Columns, **options: object) -> ammg.Measurement:
    return loss_by(ammg.IL4(**options), before, after)


def test_variances_are_compared_relatively() -> None:
    assert loss([[1, 3], [1, 2]], [[1, 5], [1, 2]]).value == pytest.approx((3 + 0) / 2)


def test_a_constant_column_is_left_out_and_counted() -> None:
    found = loss([[7, 7], [1, 2]], [[7, 8], [1, 3]])
    assert found.value == pytest.approx(3)
    assert found.facts["skipped"] == 1


def test_a_variance_that_the_release_does_not_have_is_charged_one() -> None:
    assert loss([[1, 3]], [[None, None]]).value == 1


def test_the_difference_of_each_variance_is_told_in_percent_with_its_sign() -> None:
    table = loss([[1, 3], [0, 4]], [[1, 5], [0, 2]]).tables["differences"]
    assert table.lookup("attribute", "percent") == {"x0": pytest.approx(300), "x1": pytest.approx(-75)}
