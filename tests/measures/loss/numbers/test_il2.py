import pytest
from columns_beside import Columns, loss_by

import ammg


def loss(before: Columns, after: Columns, **options: object) -> ammg.Measurement:
    return loss_by(ammg.IL2(**options), before, after)


def test_means_are_compared_relatively() -> None:
    assert loss([[1, 3], [10, 10]], [[2, 3], [10, 20]]).value == pytest.approx((0.5 / 2 + 5 / 10) / 2)


def test_a_mean_of_zero_is_left_out_and_counted() -> None:
    found = loss([[-1, 1], [1, 3]], [[0, 5], [1, 5]])
    assert found.value == pytest.approx(0.5)
    assert found.facts["skipped"] == 1


def test_a_mean_that_the_release_does_not_have_is_charged_one() -> None:
    assert loss([[1, 3]], [[None, None]]).value == 1


def test_the_whole_original_file_is_the_reference_of_a_sample() -> None:
    assert loss([[1, 3, 8]], [[1, 3]]).value == pytest.approx(0.5)


def test_the_difference_of_each_mean_is_told_in_percent_with_its_sign() -> None:
    table = loss([[1, 3], [10, 10]], [[2, 3], [10, 0]]).tables["differences"]
    assert table.lookup("attribute", "percent") == {"x0": pytest.approx(25), "x1": pytest.approx(-50)}
