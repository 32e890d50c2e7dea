import pytest
from columns_beside import Columns, loss_by

import ammg


def loss(before: Columns, after: Columns, **options: object) -> ammg.Measurement:
    return loss_by(ammg.IL1(**options), before, after)


def test_a_change_is_divided_by_the_mean_of_both_values() -> None:
    assert loss([[1, 2, 0, -4]], [[3, 2, 0, 4]]).value == pytest.approx((2 / 2 + 0 + 0 + 8 / 4) / 4)


def test_both_files_may_change_places() -> None:
    assert loss([[1, 5]], [[2, 9]]).value == loss([[2, 9]], [[1, 5]]).value


def test_the_original_value_may_be_the_divisor_and_1_stands_for_zero() -> None:
    assert loss([[2, 0]], [[3, 5]], version="original").value == pytest.approx((0.5 + 5) / 2)
    assert loss([[2, 0]], [[3, 5]], version="original", zero="masked").value == pytest.approx((0.5 + 1) / 2)


def test_a_suppressed_cell_is_charged_the_greatest_change() -> None:
    assert loss([[1, 2]], [[1, None]]).value == 1
    assert loss([[1, 2]], [[1, None]], version="original").value == 0.5


def test_a_dropped_record_is_charged_like_suppressed_cells() -> None:
    assert loss([[1, 2, 3, 4]], [[1, 2, 3]]).value == pytest.approx(2 / 4)


def test_a_value_that_was_missing_before_counts_for_nothing() -> None:
    found = loss([[1, None, 3]], [[2, None, 3]])
    assert found.value == pytest.approx((2 / 3 + 0) / 2)
    assert found.facts["skipped"] == 1


def test_columns_are_reported_apart() -> None:
    assert loss([[1, 1], [2, 2]], [[1, 1], [6, 2]]).by_column == {"x0": 0, "x1": 0.5}


def test_records_are_averaged_in_percent_as_mateo_sanz_does() -> None:
    assert loss([[1, 2], [4, 4]], [[2, 2], [4, 5]], version="record").value == pytest.approx((50 + 12.5) / 2)
